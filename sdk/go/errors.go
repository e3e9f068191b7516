package chainfold

import (
	"errors"
	"fmt"
)

// Problem is the RFC 9457 body of a refused request. It is returned as an error:
//
//	var problem *chainfold.Problem
//	if errors.As(err, &problem) && problem.Code == chainfold.CodeNotFound { … }
type Problem struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail"`
	Code      string `json:"code"`
	RequestID string `json:"request_id"`
	// Retryable is true if the same request may succeed later.
	Retryable bool         `json:"retryable"`
	Errors    []FieldError `json:"errors"`
}

// FieldError describes an invalid field. Path is a JSON pointer into the body.
type FieldError struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

func (p *Problem) Error() string { return p.Code + ": " + p.Detail }

// ConnectionError is returned when no answer of the service arrives: the network failed, time ran out, or another
// server answered.
type ConnectionError struct {
	// Status is the HTTP status if something other than the service answered, and 0 otherwise.
	Status int
	Err    error
}

func (e *ConnectionError) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("the answer (HTTP status %d) is not from the service", e.Status)
	}
	return fmt.Sprintf("no answer from the service: %v", e.Err)
}

func (e *ConnectionError) Unwrap() error { return e.Err }

// ErrWebhook is wrapped by every error of VerifyWebhook.
var ErrWebhook = errors.New("webhook verification failed")
