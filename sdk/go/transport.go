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
	// maxRetryAfter is the longest retry-after that a call waits for. After a longer one the call fails at once.
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

// WithIdempotencyKey makes retries of a command safe across restarts of the program. Without it, each command gets a
// key of its own.
func WithIdempotencyKey(key string) CallOption { return WithHeader("idempotency-key", key) }

// AsOf answers a query as of a moment: an event position, or an ISO time with a time zone.
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

// delay before the next attempt. Half of it is random, so that clients that failed together do not return together.
func (e *attemptError) delay(attempt int) time.Duration {
	if e.hasDelay {
		return e.retryAfter
	}
	delay := firstDelay << attempt
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

// open sends a call until an attempt succeeds. The caller closes the body.
func (t *transport) open(ctx context.Context, path, kind string, request any, options []CallOption) (*http.Response, context.CancelFunc, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, nil, err
	}
	header := t.headerOf(kind, options)
	for attempt := 0; ; attempt++ {
		response, cancel, err := t.attempt(ctx, path, body, header)
		var failed *attemptError
		if !errors.As(err, &failed) {
			if err == nil && header.Get("x-as-of") == "" {
				t.update(response.Header)
			}
			return response, cancel, err
		}
		if attempt >= t.options.MaxRetries || !failed.isRetryable() {
			return nil, nil, failed.reason
		}
		select {
		case <-time.After(failed.delay(attempt)):
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

func (t *transport) attempt(ctx context.Context, path string, body []byte, header http.Header) (*http.Response, context.CancelFunc, error) {
	limited, cancel := context.WithTimeout(ctx, t.options.Timeout)
	sent, err := http.NewRequestWithContext(limited, http.MethodPost, t.options.URL+path, bytes.NewReader(body))
	if err != nil {
		cancel()
		return nil, nil, err
	}
	// A body that cannot be read twice keeps net/http from repeating a request whose nonce is used up.
	sent.GetBody = nil
	sent.Header = header.Clone()
	sign(sent.Header, t.options.Key, t.options.Secret, path, body)
	response, err := t.options.HTTPClient.Do(sent)
	if err == nil && response.StatusCode == http.StatusOK {
		return response, cancel, nil
	}
	defer cancel()
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil {
		return nil, nil, &attemptError{reason: &ConnectionError{Err: err}}
	}
	defer response.Body.Close()
	return nil, nil, refusal(response)
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

// lines closes the connection and ends the deadline of an answer in lines.
type lines struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (l lines) Close() error {
	defer l.cancel()
	return l.ReadCloser.Close()
}

func (t *transport) stream(ctx context.Context, path, kind string, request any, options []CallOption) (io.ReadCloser, error) {
	response, cancel, err := t.open(ctx, path, kind, request, options)
	if err != nil {
		return nil, err
	}
	return lines{response.Body, cancel}, nil
}

func send[Response any](ctx context.Context, t *transport, path, kind string, request any, options []CallOption) (*Response, error) {
	response, cancel, err := t.open(ctx, path, kind, request, options)
	if err != nil {
		return nil, err
	}
	defer cancel()
	defer response.Body.Close()
	answer := new(Response)
	decoder := json.NewDecoder(response.Body)
	// Integers in records of any form stay exact.
	decoder.UseNumber()
	if err := decoder.Decode(answer); err != nil {
		return nil, &ConnectionError{Err: err}
	}
	return answer, nil
}
