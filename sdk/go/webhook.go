package chainfold

import (
	"crypto/ed25519"
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
	// PublicKeys are the webhook's whpk_… from GetWebhook or ListWebhooks: one, or two during a rotation.
	PublicKeys []string
	// Tolerance is the greatest age of a webhook; 5 minutes if it is 0.
	Tolerance time.Duration
	// Now is the time of the receipt; the current time if it is zero.
	Now time.Time
}

func rejected(reason string) error { return fmt.Errorf("%w: %s", ErrWebhook, reason) }

// VerifyWebhook verifies a webhook by the Standard Webhooks scheme, under its secret (v1) or its public key (v1a), and
// returns its notification. The body is the one that was received. Its error wraps ErrWebhook if the webhook must not be
// trusted.
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
	if !isSigned(content, header.Get("webhook-signature"), verification) {
		return nil, rejected("no signature of the webhook matches a given secret or public key")
	}
	notification := &WebhookNotification{}
	if err := json.Unmarshal(body, notification); err != nil {
		return nil, rejected(err.Error())
	}
	return notification, nil
}

func isSigned(content []byte, header string, verification Verification) bool {
	for _, secret := range verification.Secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			continue
		}
		mac := hmac.New(sha256.New, key)
		mac.Write(content)
		expected := mac.Sum(nil)
		for _, signature := range signaturesIn(header, "v1") {
			if hmac.Equal(signature, expected) {
				return true
			}
		}
	}
	for _, publicKey := range verification.PublicKeys {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(publicKey, "whpk_"))
		if err != nil || len(key) != ed25519.PublicKeySize {
			continue
		}
		for _, signature := range signaturesIn(header, "v1a") {
			if ed25519.Verify(key, content, signature) {
				return true
			}
		}
	}
	return false
}

// maxSignatures is the greatest number of signatures that are checked, so that a stranger's request costs little.
const maxSignatures = 16

// signaturesIn decodes the signatures of a version. Malformed ones are left out.
func signaturesIn(header, version string) [][]byte {
	var signatures [][]byte
	for _, one := range strings.Split(header, " ") {
		name, encoded, _ := strings.Cut(one, ",")
		if signature, err := base64.StdEncoding.DecodeString(encoded); name == version && err == nil && len(signatures) < maxSignatures {
			signatures = append(signatures, signature)
		}
	}
	return signatures
}
