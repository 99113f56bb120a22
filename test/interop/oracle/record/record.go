// Package record writes what the renderers and parsers of Ollama are given and what they return, one JSON object per
// line. test/interop/oracle/ollama-oracle.ts puts it into a copy of Ollama's source and calls it in front of each method.
package record

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
)

type Event map[string]any

var (
	mutex sync.Mutex
	// The objects stay reachable, so that no two have the same address.
	objects []any
	known   = map[string]bool{}
	busy    = map[string]bool{}
	name    string
)

// Name is the registered name of the renderer or parser that is called next.
func Name(next string) {
	name = next
}

// TakeName returns the name once: a renderer that calls another one does not pass it on.
func TakeName() string {
	taken := name
	name = ""
	return taken
}

// ID is the same for a parser and for the parser that it embeds as its first field.
func ID(object any) string {
	mutex.Lock()
	defer mutex.Unlock()
	id := fmt.Sprintf("%p", object)
	if !known[id] {
		known[id] = true
		objects = append(objects, object)
	}
	return id
}

// Enter says whether a method of a parser was called from outside, not by the parser that embeds this one.
func Enter(id string) bool {
	mutex.Lock()
	defer mutex.Unlock()
	if busy[id] {
		return false
	}
	busy[id] = true
	return true
}

// Leave ends what Enter began.
func Leave(id string) {
	mutex.Lock()
	defer mutex.Unlock()
	delete(busy, id)
}

// Shape is the configuration of a renderer or parser: the fields with simple values.
func Shape(object any) string {
	fields := map[string]any{}
	collect(reflect.ValueOf(object).Elem(), fields)
	text, _ := json.Marshal(fields)
	return string(text)
}

func collect(value reflect.Value, fields map[string]any) {
	if value.Type() == reflect.TypeFor[strings.Builder]() {
		return
	}
	for i := range value.NumField() {
		field := value.Field(i)
		name := value.Type().Field(i).Name
		switch field.Kind() {
		case reflect.Bool:
			fields[name] = field.Bool()
		case reflect.Int:
			fields[name] = field.Int()
		case reflect.String:
			fields[name] = field.String()
		case reflect.Struct:
			collect(field, fields)
		}
	}
}

// JSON is for values that a method may change.
func JSON(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// Message is the text of an error, or empty.
func Message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Write appends an event to the file that HEARTH_RECORD names.
func Write(event Event) {
	line := JSON(event)
	mutex.Lock()
	defer mutex.Unlock()
	file, err := os.OpenFile(os.Getenv("HEARTH_RECORD"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	if _, err := file.Write(append(line, '\n')); err != nil {
		panic(err)
	}
}
