package chainfold

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// WebhookNotification is the body of a webhook, and an item of the notification feed.
type WebhookNotification struct {
	WebhookHistoryID string         `json:"webhook_history_id"`
	WebhookID        string         `json:"webhook_id"`
	OrganizationID   string         `json:"organization_id"`
	NotificationType string         `json:"notification_type"`
	CreateTime       string         `json:"create_time"`
	Data             map[string]any `json:"data"`
}

// Verification configures VerifyWebhook.
type Verification struct {
	// Secrets are the webhook's whsec_… from GetWebhook: one, or two during a rotation.
	Secrets []string
	// Tolerance is the greatest age of a webhook; 5 minutes if it is 0.
	Tolerance time.Duration
	// Now is the time of the receipt; the current time if it is zero.
	Now time.Time
}

func rejected(reason string) error { return fmt.Errorf("%w: %s", ErrWebhook, reason) }

// VerifyWebhook verifies a webhook by the Standard Webhooks scheme, version v1, and returns its notification. The body is
// the one that was received. Its error wraps ErrWebhook if the webhook must not be trusted.
func VerifyWebhook(body []byte, header http.Header, verification Verification) (*WebhookNotification, error) {
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		if header.Get(name) == "" {
			return nil, rejected("the header " + name + " is missing")
		}
	}
	now, tolerance := verification.Now, verification.Tolerance
	if now.IsZero() {
		now = time.Now()
	}
	if tolerance == 0 {
		tolerance = 5 * time.Minute
	}
	timestamp := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || math.Abs(now.Sub(time.Unix(seconds, 0)).Seconds()) > tolerance.Seconds() {
		return nil, rejected("the webhook is too old, or its timestamp is in the future")
	}
	content := append([]byte(header.Get("webhook-id")+"."+timestamp+"."), body...)
	if !isSigned(content, strings.Split(header.Get("webhook-signature"), " "), verification.Secrets) {
		return nil, rejected("no signature of the webhook matches the secret")
	}
	notification := &WebhookNotification{}
	if err := json.Unmarshal(body, notification); err != nil {
		return nil, rejected(err.Error())
	}
	return notification, nil
}

func isSigned(content []byte, signatures, secrets []string) bool {
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			continue
		}
		mac := hmac.New(sha256.New, key)
		mac.Write(content)
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, signature := range signatures {
			if hmac.Equal([]byte(signature), []byte(expected)) {
				return true
			}
		}
	}
	return false
}
