// Package chainfold is a client of the chainfold API, with the standard library only.
package chainfold

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// Client has a typed method for each operation, such as client.C.RegisterWallet. It may be used by several goroutines.
type Client struct {
	apis
	transport *transport
}

// New creates a client.
func New(options Options) *Client {
	options.URL = strings.TrimRight(options.URL, "/")
	if options.MaxRetries == 0 {
		options.MaxRetries = 3
	}
	if options.Timeout == 0 {
		options.Timeout = time.Minute
	}
	if options.HTTPClient == nil {
		options.HTTPClient = http.DefaultClient
	}
	t := &transport{options: options}
	return &Client{apis: newAPIs(t), transport: t}
}

// Call calls an operation by its name. The operation may be one that this version of the client does not know.
func (c *Client) Call(ctx context.Context, api, operation string, request any, options ...CallOption) (map[string]any, error) {
	// An idempotency key makes retries safe if the operation is a command; queries ignore it.
	answer, err := send[map[string]any](ctx, c.transport, "/v1/"+api+"/"+operation, "command", request, options)
	if err != nil {
		return nil, err
	}
	return *answer, nil
}

// Ptr returns a pointer to a value, for the optional fields of requests.
func Ptr[T any](value T) *T { return &value }
