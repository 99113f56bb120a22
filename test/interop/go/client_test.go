// Package interop calls every method of Ollama's Go client on the server at OLLAMA_HOST.
package interop

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
)

var (
	background = context.Background()
	greedy     = map[string]any{"temperature": 0, "seed": 1}
)

const sky = "Why is the sky blue?"

func client(t *testing.T) *api.Client {
	t.Helper()
	result, err := api.ClientFromEnvironment()
	check(t, err)
	return result
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func contains(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Fatalf("%q does not contain %q", text, part)
	}
}

func hasStatus(t *testing.T, err error, code int) {
	t.Helper()
	var status api.StatusError
	if !errors.As(err, &status) || status.StatusCode != code || status.ErrorMessage == "" {
		t.Fatalf("want status %d with a message, got %#v", code, err)
	}
}

// chat returns the joined answer and the last response.
func chat(t *testing.T, request *api.ChatRequest) (api.Message, api.ChatResponse) {
	t.Helper()
	var all api.Message
	var last api.ChatResponse
	check(t, client(t).Chat(background, request, func(response api.ChatResponse) error {
		all.Role = response.Message.Role
		all.Content += response.Message.Content
		all.Thinking += response.Message.Thinking
		all.ToolCalls = append(all.ToolCalls, response.Message.ToolCalls...)
		last = response
		return nil
	}))
	if !last.Done || last.DoneReason == "" || last.EvalCount == 0 || last.CreatedAt.IsZero() {
		t.Fatalf("incomplete last response: %+v", last)
	}
	return all, last
}

func user(content string) []api.Message {
	return []api.Message{{Role: "user", Content: content}}
}

// TestEveryMethodHasATest fails when a new version of the package has a method that is not tested here.
func TestEveryMethodHasATest(t *testing.T) {
	source, err := os.ReadFile("client_test.go")
	check(t, err)
	methods := reflect.TypeOf(&api.Client{})
	for i := range methods.NumMethod() {
		contains(t, string(source), "."+methods.Method(i).Name+"(background")
	}
}

func TestHeartbeatAndVersion(t *testing.T) {
	check(t, client(t).Heartbeat(background))
	version, err := client(t).Version(background)
	check(t, err)
	contains(t, version, ".")
}

func TestGenerate(t *testing.T) {
	for _, stream := range []bool{true, false} {
		var text string
		var parts int
		var last api.GenerateResponse
		request := &api.GenerateRequest{Model: "ember", Prompt: sky, Options: greedy, Stream: &stream}
		check(t, client(t).Generate(background, request, func(response api.GenerateResponse) error {
			text += response.Response
			parts++
			last = response
			return nil
		}))
		contains(t, text, "scatter")
		if stream != (parts > 2) || !last.Done || last.DoneReason != "stop" || len(last.Context) == 0 {
			t.Fatalf("%d parts, %+v", parts, last)
		}
	}
}

func TestGenerateLoadsAndUnloads(t *testing.T) {
	load := func(duration time.Duration) api.GenerateResponse {
		var last api.GenerateResponse
		request := &api.GenerateRequest{Model: "ember", KeepAlive: &api.Duration{Duration: duration}}
		check(t, client(t).Generate(background, request, func(response api.GenerateResponse) error {
			last = response
			return nil
		}))
		return last
	}
	if last := load(time.Minute); last.DoneReason != "load" {
		t.Fatalf("%+v", last)
	}
	running, err := client(t).ListRunning(background)
	check(t, err)
	if len(running.Models) != 1 || running.Models[0].ContextLength == 0 || running.Models[0].ExpiresAt.IsZero() {
		t.Fatalf("%+v", running)
	}
	if last := load(0); last.DoneReason != "unload" {
		t.Fatalf("%+v", last)
	}
}

func TestChat(t *testing.T) {
	for _, stream := range []bool{true, false} {
		message, _ := chat(t, &api.ChatRequest{Model: "ember", Messages: user(sky), Options: greedy, Stream: &stream})
		contains(t, message.Content, "scatter")
	}
}

func TestChatWithLogprobs(t *testing.T) {
	var count int
	request := &api.ChatRequest{Model: "ember", Messages: user(sky), Options: greedy, Logprobs: true, TopLogprobs: 2}
	check(t, client(t).Chat(background, request, func(response api.ChatResponse) error {
		for _, entry := range response.Logprobs {
			if len(entry.TopLogprobs) != 2 || entry.Logprob > 0 {
				t.Errorf("%+v", entry)
			}
			count++
		}
		return nil
	}))
	if count < 5 {
		t.Fatalf("%d log probabilities", count)
	}
}

func TestChatWithFormat(t *testing.T) {
	format := json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name","age"]}`)
	question := user("Reply in JSON with keys name and age for Anna who is 31.")
	message, _ := chat(t, &api.ChatRequest{Model: "ember", Messages: question, Options: greedy, Format: format})
	var person struct {
		Name string
		Age  int
	}
	check(t, json.Unmarshal([]byte(message.Content), &person))
	if person.Name != "Anna" || person.Age != 31 {
		t.Fatalf("%+v", person)
	}
}

func TestChatWithThinking(t *testing.T) {
	think := &api.ThinkValue{Value: true}
	request := &api.ChatRequest{Model: "ember-thinks", Messages: user("What is 12 + 30?"), Options: greedy, Think: think}
	message, _ := chat(t, request)
	contains(t, message.Content, "42")
	if message.Thinking == "" {
		t.Fatal("no thinking")
	}
}

func TestChatWithImage(t *testing.T) {
	image, err := base64.StdEncoding.DecodeString(os.Getenv("IMAGE"))
	check(t, err)
	question := []api.Message{{Role: "user", Content: "Describe the image.", Images: []api.ImageData{image}}}
	message, _ := chat(t, &api.ChatRequest{Model: "ember-eyes", Messages: question, Options: greedy})
	contains(t, message.Content, "red circle")
}

func weatherTool(t *testing.T) api.Tool {
	t.Helper()
	var tool api.Tool
	check(t, json.Unmarshal([]byte(os.Getenv("TOOL")), &tool))
	return tool
}

func TestChatWithTools(t *testing.T) {
	messages := user("Get the current weather for Paris in celsius.")
	tools := api.Tools{weatherTool(t)}
	asked, _ := chat(t, &api.ChatRequest{Model: "ember", Messages: messages, Options: greedy, Tools: tools})
	if len(asked.ToolCalls) != 1 || asked.ToolCalls[0].ID == "" {
		t.Fatalf("%+v", asked)
	}
	call := asked.ToolCalls[0]
	contains(t, call.Function.Arguments.String(), `"Paris"`)
	answer := api.Message{
		Role: "tool", Content: `{"temperature": 21, "condition": "sunny"}`,
		ToolName: call.Function.Name, ToolCallID: call.ID,
	}
	messages = append(messages, asked, answer)
	answered, _ := chat(t, &api.ChatRequest{Model: "ember", Messages: messages, Options: greedy, Tools: tools})
	contains(t, answered.Content, "sunny")
}

func TestEmbed(t *testing.T) {
	response, err := client(t).Embed(background, &api.EmbedRequest{Model: "ember", Input: []string{"a fox", "a river"}})
	check(t, err)
	if len(response.Embeddings) != 2 || len(response.Embeddings[0]) < 8 || response.PromptEvalCount < 2 {
		t.Fatalf("%d vectors, %d tokens", len(response.Embeddings), response.PromptEvalCount)
	}
	short := &api.EmbedRequest{Model: "ember", Input: "a fox", Dimensions: 8}
	response, err = client(t).Embed(background, short)
	check(t, err)
	if len(response.Embeddings[0]) != 8 {
		t.Fatalf("%d dimensions", len(response.Embeddings[0]))
	}
	old, err := client(t).Embeddings(background, &api.EmbeddingRequest{Model: "ember", Prompt: "a fox"})
	check(t, err)
	if len(old.Embedding) < 8 {
		t.Fatalf("%d dimensions", len(old.Embedding))
	}
}

// statuses collects what a transfer reports.
func statuses(result *[]string) func(api.ProgressResponse) error {
	return func(progress api.ProgressResponse) error {
		*result = append(*result, progress.Status)
		return nil
	}
}

func succeeded(t *testing.T, statuses []string) {
	t.Helper()
	if len(statuses) == 0 || statuses[len(statuses)-1] != "success" {
		t.Fatalf("%q", statuses)
	}
}

func TestCreateShowCopyListDelete(t *testing.T) {
	var seen []string
	request := &api.CreateRequest{
		Model: "bill", From: "ember", System: "You are a pirate named Bill.", License: "MIT",
		Parameters: map[string]any{"temperature": 0.5, "stop": []string{"END"}},
		Messages:   []api.Message{{Role: "user", Content: "Hi"}, {Role: "assistant", Content: "Ahoy"}},
	}
	check(t, client(t).Create(background, request, statuses(&seen)))
	succeeded(t, seen)

	shown, err := client(t).Show(background, &api.ShowRequest{Model: "bill", Verbose: true})
	check(t, err)
	contains(t, shown.Modelfile, "SYSTEM You are a pirate named Bill.")
	contains(t, shown.Parameters, "END")
	contains(t, shown.License, "MIT")
	if len(shown.Tensors) == 0 || len(shown.Messages) != 2 || len(shown.Capabilities) == 0 || shown.ModifiedAt.IsZero() {
		t.Fatalf("%+v", shown)
	}

	check(t, client(t).Copy(background, &api.CopyRequest{Source: "bill", Destination: "bill2"}))
	check(t, client(t).Delete(background, &api.DeleteRequest{Model: "bill"}))
	listed, err := client(t).List(background)
	check(t, err)
	names := ""
	for _, model := range listed.Models {
		names += model.Name + " "
		if model.Size == 0 || model.Digest == "" || model.Details.Family == "" || model.ModifiedAt.IsZero() {
			t.Fatalf("%+v", model)
		}
	}
	contains(t, names, "bill2:latest ")
	if strings.Contains(names, "bill:latest") {
		t.Fatal(names)
	}
	hasStatus(t, client(t).Delete(background, &api.DeleteRequest{Model: "bill"}), http.StatusNotFound)
	_, err = client(t).Show(background, &api.ShowRequest{Model: "bill"})
	hasStatus(t, err, http.StatusNotFound)
}

func TestCreateFromBlob(t *testing.T) {
	weights, err := os.ReadFile(filepath.Join(os.Getenv("MODELS"), "ember-q4_k_m.gguf"))
	check(t, err)
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(weights))
	check(t, client(t).CreateBlob(background, digest, bytes.NewReader(weights)))
	var seen []string
	request := &api.CreateRequest{Model: "uploaded", Files: map[string]string{"ember.gguf": digest}}
	check(t, client(t).Create(background, request, statuses(&seen)))
	succeeded(t, seen)
	wrong := "sha256:" + strings.Repeat("0", 64)
	hasStatus(t, client(t).CreateBlob(background, wrong, strings.NewReader("other")), http.StatusBadRequest)
}

func TestPushAndPull(t *testing.T) {
	name := os.Getenv("REGISTRY") + "/team/ember"
	check(t, client(t).Copy(background, &api.CopyRequest{Source: "ember", Destination: name}))
	var pushed, pulled []string
	check(t, client(t).Push(background, &api.PushRequest{Model: name, Insecure: true}, statuses(&pushed)))
	succeeded(t, pushed)
	check(t, client(t).Delete(background, &api.DeleteRequest{Model: name}))
	check(t, client(t).Pull(background, &api.PullRequest{Model: name, Insecure: true}, statuses(&pulled)))
	succeeded(t, pulled)
}

func TestErrors(t *testing.T) {
	ignore := func(api.ChatResponse) error { return nil }
	hasStatus(t, client(t).Chat(background, &api.ChatRequest{Model: "nobody", Messages: user(sky)}, ignore), http.StatusNotFound)
	_, err := client(t).Show(background, &api.ShowRequest{})
	hasStatus(t, err, http.StatusBadRequest)
}

func TestAccount(t *testing.T) {
	account, err := client(t).Whoami(background)
	check(t, err)
	if account.Name != "" {
		t.Fatalf("%+v", account)
	}
}

// TestServicesOfOllamaCom calls what a local server does not have. The client must get a status and a message.
func TestServicesOfOllamaCom(t *testing.T) {
	_, err := client(t).CloudStatusExperimental(background)
	hasStatus(t, err, http.StatusNotFound)
	_, err = client(t).ModelRecommendationsExperimental(background)
	hasStatus(t, err, http.StatusNotFound)
	_, err = client(t).WebSearchExperimental(background, &api.WebSearchRequest{Query: "sky"})
	hasStatus(t, err, http.StatusNotFound)
	_, err = client(t).WebFetchExperimental(background, &api.WebFetchRequest{URL: "http://127.0.0.1"})
	hasStatus(t, err, http.StatusNotFound)
	hasStatus(t, client(t).Signout(background), http.StatusNotFound)
	hasStatus(t, client(t).Disconnect(background, "key"), http.StatusNotFound)
}
