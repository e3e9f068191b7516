package chainfold_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"testing"
	"time"

	chainfold "github.com/chainfold/chainfold/sdk/go"
)

type verification struct {
	Secrets    []string          `json:"secrets"`
	PublicKeys []string          `json:"public_keys"`
	Headers    map[string]string `json:"headers"`
	Body       string            `json:"body"`
	Now        int64             `json:"now"`
	Valid      bool              `json:"valid"`
}

type step struct {
	Name           string            `json:"name"`
	Call           string            `json:"call"`
	Each           string            `json:"each"`
	Request        json.RawMessage   `json:"request"`
	IdempotencyKey string            `json:"idempotency_key"`
	Save           map[string]string `json:"save"`
	Error          string            `json:"error"`
	Count          *int              `json:"count"`
	Own            bool              `json:"own"`
	Verify         *verification     `json:"verify"`
}

var plural = regexp.MustCompile(`(sse)?s$`)

// arguments decodes the request of a step into the type that the method takes.
func arguments(t *testing.T, method reflect.Value, s step, saved map[string]string) []reflect.Value {
	text := string(s.Request)
	for name, value := range saved {
		text = strings.ReplaceAll(text, `"$`+name+`"`, `"`+value+`"`)
	}
	request := reflect.New(method.Type().In(1))
	if err := json.Unmarshal([]byte(text), request.Interface()); err != nil {
		t.Fatal(err)
	}
	values := []reflect.Value{reflect.ValueOf(context.Background()), request.Elem()}
	if s.IdempotencyKey != "" {
		values = append(values, reflect.ValueOf(chainfold.WithIdempotencyKey(s.IdempotencyKey)))
	}
	return values
}

func methodOf(client *chainfold.Client, api, name string) reflect.Value {
	return reflect.ValueOf(client).Elem().FieldByName(strings.ToUpper(api[:1]) + api[1:]).MethodByName(name)
}

func describe(t *testing.T, err error) map[string]any {
	var problem *chainfold.Problem
	if !errors.As(err, &problem) {
		t.Fatal(err)
	}
	paths := []string{}
	for _, one := range problem.Errors {
		paths = append(paths, one.Path)
	}
	return map[string]any{"code": problem.Code, "status": problem.Status, "retryable": problem.Retryable, "paths": paths}
}

func verify(t *testing.T, v verification) map[string]any {
	header := http.Header{}
	for name, value := range v.Headers {
		header.Set(name, value)
	}
	options := chainfold.Verification{Secrets: v.Secrets, PublicKeys: v.PublicKeys, Now: time.Unix(v.Now, 0)}
	notification, err := chainfold.VerifyWebhook([]byte(v.Body), header, options)
	if (err == nil) != v.Valid {
		t.Errorf("valid: expected %v, got %v", v.Valid, err)
	}
	if err != nil {
		if !errors.Is(err, chainfold.ErrWebhook) {
			t.Error(err)
		}
		return map[string]any{"verified": nil}
	}
	return map[string]any{"verified": notification.WebhookHistoryID}
}

func iterate(t *testing.T, client *chainfold.Client, s step, saved map[string]string) map[string]any {
	api, name, _ := strings.Cut(s.Each, ".")
	name = plural.ReplaceAllStringFunc(strings.Replace(name, "List", "Each", 1), func(end string) string {
		return strings.TrimSuffix(strings.TrimSuffix(end, "s"), "e")
	})
	method := methodOf(client, api, name)
	iterator := method.Call(arguments(t, method, s, saved))[0]
	items := []any{}
	for iterator.MethodByName("Next").Call(nil)[0].Bool() {
		items = append(items, iterator.MethodByName("Value").Call(nil)[0].Interface())
	}
	if err, isError := iterator.MethodByName("Err").Call(nil)[0].Interface().(error); isError {
		return map[string]any{"error": describe(t, err)}
	}
	return map[string]any{"items": items}
}

func call(t *testing.T, client *chainfold.Client, s step, saved map[string]string) map[string]any {
	api, name, _ := strings.Cut(s.Call, ".")
	method := methodOf(client, api, name)
	results := method.Call(arguments(t, method, s, saved))
	if err, isError := results[1].Interface().(error); isError {
		return map[string]any{"error": describe(t, err)}
	}
	encoded, _ := json.Marshal(results[0].Interface())
	answer := map[string]any{}
	if err := json.Unmarshal(encoded, &answer); err != nil {
		t.Fatal(err)
	}
	return map[string]any{"answer": answer}
}

func run(t *testing.T, client *chainfold.Client, s step, saved map[string]string) map[string]any {
	if s.Verify != nil {
		return verify(t, *s.Verify)
	}
	if s.Each != "" {
		return iterate(t, client, s, saved)
	}
	return call(t, client, s, saved)
}

func check(t *testing.T, s step, result map[string]any) {
	code := ""
	if failed, isError := result["error"].(map[string]any); isError {
		code = failed["code"].(string)
	}
	if code != s.Error {
		t.Errorf("error: expected %q, got %q", s.Error, code)
	}
	if s.Count != nil && len(result["items"].([]any)) != *s.Count {
		t.Errorf("expected %d items, got %v", *s.Count, result["items"])
	}
}

func TestScenario(t *testing.T) {
	url := os.Getenv("CHAINFOLD_URL")
	if url == "" {
		t.Skip("CHAINFOLD_URL is not set")
	}
	key, secret := os.Getenv("CHAINFOLD_API_KEY"), os.Getenv("CHAINFOLD_API_SECRET")
	client := chainfold.New(chainfold.Options{URL: url, Key: key, Secret: secret})
	text, err := os.ReadFile(os.Getenv("CHAINFOLD_SCENARIO"))
	if err != nil {
		t.Fatal(err)
	}
	var scenario struct{ Steps []step }
	if err := json.Unmarshal(text, &scenario); err != nil {
		t.Fatal(err)
	}
	saved, results := map[string]string{}, []any{}
	for _, s := range scenario.Steps {
		t.Run(s.Name, func(t *testing.T) {
			result := run(t, client, s, saved)
			check(t, s, result)
			answer, _ := result["answer"].(map[string]any)
			for name, field := range s.Save {
				saved[name], _ = answer[field].(string)
			}
			if s.Own {
				fields := []string{}
				for name := range answer {
					fields = append(fields, name)
				}
				sort.Strings(fields)
				result = map[string]any{"fields": fields}
			}
			results = append(results, result)
		})
	}
	transcript, _ := json.Marshal(results)
	if err := os.WriteFile(os.Getenv("CHAINFOLD_TRANSCRIPT"), transcript, 0o600); err != nil {
		t.Fatal(err)
	}
}
