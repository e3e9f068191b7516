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
	// Tolerance is the maximum difference between the timestamp of the webhook and Now; 5 minutes if it is 0.
	Tolerance time.Duration
	// Now is the time of the receipt; the current time if it is zero.
	Now time.Time
}

func rejected(reason string) error { return fmt.Errorf("%w: %s", ErrWebhook, reason) }

// VerifyWebhook verifies a webhook by the Standard Webhooks scheme, under its secret (v1) or its public key (v1a), and
// returns its notification. The body must be the one that was received, unchanged. The error wraps ErrWebhook if the
// webhook must not be trusted.
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
	secrets, err := decoded(verification.Secrets, "whsec_", 0)
	if err != nil {
		return nil, err
	}
	publicKeys, err := decoded(verification.PublicKeys, "whpk_", ed25519.PublicKeySize)
	if err != nil {
		return nil, err
	}
	content := append([]byte(header.Get("webhook-id")+"."+timestamp+"."), body...)
	if !isSigned(content, header.Get("webhook-signature"), secrets, publicKeys) {
		return nil, rejected("no signature of the webhook matches any of the given secrets or public keys")
	}
	notification := &WebhookNotification{}
	if err := json.Unmarshal(body, notification); err != nil {
		return nil, rejected(err.Error())
	}
	return notification, nil
}

// decoded returns the bytes of secrets or public keys. A size of 0 allows any size.
func decoded(texts []string, prefix string, size int) ([][]byte, error) {
	var keys [][]byte
	for _, text := range texts {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, prefix))
		if err != nil || len(key) == 0 || (size > 0 && len(key) != size) {
			return nil, rejected("a given secret or public key is malformed")
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func isSigned(content []byte, header string, secrets, publicKeys [][]byte) bool {
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, secret)
		mac.Write(content)
		expected := mac.Sum(nil)
		for _, signature := range signaturesIn(header, "v1") {
			if hmac.Equal(signature, expected) {
				return true
			}
		}
	}
	for _, publicKey := range publicKeys {
		for _, signature := range signaturesIn(header, "v1a") {
			if ed25519.Verify(publicKey, content, signature) {
				return true
			}
		}
	}
	return false
}

// maxSignatures is the maximum number of signatures that are checked, so that a request of an attacker with many
// signatures costs little.
const maxSignatures = 16

// signaturesIn decodes the signatures of a version. Malformed signatures are left out.
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
