package chainfold

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	firstDelay = 200 * time.Millisecond
	maxDelay   = 5 * time.Second
	// maxRetryAfter is the longest retry-after that a call waits for. If the service sends a larger value, the call
	// fails at once.
	maxRetryAfter = 30 * time.Second
)

// Options configures a client.
type Options struct {
	// URL of the service, such as http://127.0.0.1:8080.
	URL    string
	Key    string
	Secret string
	// MaxRetries is the maximum number of retries of a call: 3 if it is 0, none if it is negative.
	MaxRetries int
	// Timeout of one attempt; 60 seconds if it is 0.
	Timeout time.Duration
	// HTTPClient replaces http.DefaultClient, for example to use a proxy.
	HTTPClient *http.Client
}

// CallOption changes one call.
type CallOption func(http.Header)

// WithIdempotencyKey sets the key with which retries of a command are safe even if the program restarts. By default,
// each command gets a random key.
func WithIdempotencyKey(key string) CallOption { return WithHeader("idempotency-key", key) }

// AsOf makes a query answer as of a moment: an event position, or an ISO time with a time zone.
func AsOf(moment string) CallOption { return WithHeader("x-as-of", moment) }

// WithMinPosition makes a query wait until its answer includes an event position.
func WithMinPosition(position int64) CallOption {
	return WithHeader("x-min-position", strconv.FormatInt(position, 10))
}

// WithHeader adds a request header.
func WithHeader(name, value string) CallOption {
	return func(header http.Header) { header.Set(name, value) }
}

// transport signs, sends and retries the calls of one client.
type transport struct {
	options Options
	mutex   sync.Mutex
	// pending is the position of the last write that the read models did not include yet; queries wait for it.
	pending int64
}

// attemptError is a failed attempt, with the retry-after of its answer.
type attemptError struct {
	reason     error
	retryAfter time.Duration
	hasDelay   bool
}

func (e *attemptError) Error() string { return e.reason.Error() }

func (e *attemptError) isRetryable() bool {
	if e.retryAfter > maxRetryAfter {
		return false
	}
	var problem *Problem
	if errors.As(e.reason, &problem) {
		return problem.Retryable
	}
	var connection *ConnectionError
	return errors.As(e.reason, &connection) && (connection.Status == 0 || connection.Status >= 500)
}

// delay returns the time to wait before the next attempt. Without a retry-after, half of it is random, so that clients
// that failed together do not retry together.
func (e *attemptError) delay(attempt int) time.Duration {
	if e.hasDelay {
		return e.retryAfter
	}
	delay := firstDelay
	for ; attempt > 0 && delay < maxDelay; attempt-- {
		delay *= 2
	}
	if delay > maxDelay {
		delay = maxDelay
	}
	return delay/2 + time.Duration(mathrand.Int63n(int64(delay/2)))
}

func randomHex(size int) string {
	random := make([]byte, size)
	if _, err := rand.Read(random); err != nil {
		panic(err)
	}
	return hex.EncodeToString(random)
}

// sign adds the headers that authenticate one request. The nonce makes them valid only once.
func sign(header http.Header, key, secret, path string, body []byte) {
	nonce := fmt.Sprintf("%d-%s", time.Now().UnixMilli(), randomHex(8))
	digest := sha256.Sum256(body)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(strings.Join([]string{nonce, "POST", path, hex.EncodeToString(digest[:])}, "\n")))
	header.Set("x-api-key", key)
	header.Set("x-api-nonce", nonce)
	header.Set("x-api-signature", hex.EncodeToString(mac.Sum(nil)))
}

func (t *transport) headerOf(kind string, options []CallOption) http.Header {
	header := http.Header{"Content-Type": {"application/json"}}
	if kind == "command" && t.options.MaxRetries > 0 {
		header.Set("idempotency-key", randomHex(16))
	}
	for _, option := range options {
		option(header)
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if kind == "query" && t.pending > 0 && header.Get("x-as-of") == "" && header.Get("x-min-position") == "" {
		header.Set("x-min-position", strconv.FormatInt(t.pending, 10))
	}
	return header
}

// take uses the answer of an attempt and closes its body. An error is a failed attempt.
type take func(response *http.Response) error

// call sends a call until an attempt succeeds.
func (t *transport) call(ctx context.Context, path, kind string, request any, options []CallOption, use take) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	header := t.headerOf(kind, options)
	for attempt := 0; ; attempt++ {
		received, err := t.attempt(ctx, path, body, header, use)
		var failed *attemptError
		if !errors.As(err, &failed) {
			if err == nil && header.Get("x-as-of") == "" {
				t.update(received)
			}
			return err
		}
		if attempt >= t.options.MaxRetries || !failed.isRetryable() {
			return failed.reason
		}
		select {
		case <-time.After(failed.delay(attempt)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// attempt sends a call once. It returns the headers of the answer.
func (t *transport) attempt(ctx context.Context, path string, body []byte, header http.Header, use take) (http.Header, error) {
	limited, cancel := context.WithTimeout(ctx, t.options.Timeout)
	sent, err := http.NewRequestWithContext(limited, http.MethodPost, t.options.URL+path, bytes.NewReader(body))
	if err != nil {
		cancel()
		return nil, err
	}
	// A body that cannot be read twice keeps net/http from repeating a request whose nonce is used up.
	sent.GetBody = nil
	sent.Header = header.Clone()
	sign(sent.Header, t.options.Key, t.options.Secret, path, body)
	response, err := t.options.HTTPClient.Do(sent)
	if err != nil {
		cancel()
		return nil, failure(ctx, err)
	}
	response.Body = answerBody{response.Body, cancel}
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close()
		return nil, refusal(response)
	}
	if err := use(response); err != nil {
		return nil, failure(ctx, err)
	}
	return response.Header, nil
}

// failure is the error of an attempt without a usable answer.
func failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var failed *ConnectionError
	if !errors.As(err, &failed) {
		failed = &ConnectionError{Err: err}
	}
	return &attemptError{reason: failed}
}

func refusal(response *http.Response) error {
	failed := &attemptError{reason: &ConnectionError{Status: response.StatusCode}}
	problem := &Problem{}
	if err := json.NewDecoder(response.Body).Decode(problem); err == nil && problem.Code != "" {
		failed.reason = problem
	}
	if seconds, err := strconv.Atoi(response.Header.Get("retry-after")); err == nil {
		failed.retryAfter, failed.hasDelay = time.Duration(seconds)*time.Second, true
	}
	return failed
}

func (t *transport) update(header http.Header) {
	position, _ := strconv.ParseInt(header.Get("x-position"), 10, 64)
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if header.Get("x-consistency") == "pending" {
		if position > t.pending {
			t.pending = position
		}
	} else if position >= t.pending {
		t.pending = 0
	}
}

// answerBody ends the deadline of its attempt when it is closed.
type answerBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b answerBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

func (t *transport) stream(ctx context.Context, path, kind string, request any, options []CallOption) (io.ReadCloser, error) {
	var answer io.ReadCloser
	err := t.call(ctx, path, kind, request, options, func(response *http.Response) error {
		answer = response.Body
		return nil
	})
	return answer, err
}

func send[Response any](ctx context.Context, t *transport, path, kind string, request any, options []CallOption) (*Response, error) {
	answer := new(Response)
	err := t.call(ctx, path, kind, request, options, func(response *http.Response) error {
		defer response.Body.Close()
		content, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		decoder := json.NewDecoder(bytes.NewReader(content))
		// Integers in records of any form stay exact.
		decoder.UseNumber()
		if err := decoder.Decode(answer); err != nil {
			return &ConnectionError{Status: response.StatusCode, Err: err}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return answer, nil
}
