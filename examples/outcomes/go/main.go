// Reads the outcomes of pruned up to their end, however they are written ([outcomes] format).
//
//	go run . BROKER TOPIC SCHEMAS
//
// SCHEMAS: the folder share/pruned/schemas, or the address of the schema registry.
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/linkedin/goavro/v2"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

var shown = []string{"run_id", "table", "key", "what", "reason"}

type schemas struct {
	url           string
	byFingerprint map[uint64]*goavro.Codec
	byNumber      map[uint32]*goavro.Codec
}

var canonical = []string{"name", "namespace", "type", "fields", "symbols", "items", "values", "size"}

// The library's fingerprint has attributes in it that the one of the specification leaves out.
func plain(text []byte) (*goavro.Codec, error) {
	var schema any
	if err := json.Unmarshal(text, &schema); err != nil {
		return nil, err
	}
	text, err := json.Marshal(bare(schema))
	if err != nil {
		return nil, err
	}
	return goavro.NewCodec(string(text))
}

func bare(schema any) any {
	switch part := schema.(type) {
	case []any:
		for i := range part {
			part[i] = bare(part[i])
		}
	case map[string]any:
		for name, inner := range part {
			if slices.Contains(canonical, name) {
				part[name] = bare(inner)
			} else {
				delete(part, name)
			}
		}
	}
	return schema
}

func readSchemas(place string) (*schemas, error) {
	s := &schemas{byFingerprint: map[uint64]*goavro.Codec{}, byNumber: map[uint32]*goavro.Codec{}}
	if strings.HasPrefix(place, "http") {
		s.url = place
		return s, nil
	}
	files, err := filepath.Glob(filepath.Join(place, "outcomes", "*.avsc"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		codec, err := plain(text)
		if err != nil {
			return nil, err
		}
		s.byFingerprint[codec.Rabin] = codec
	}
	return s, nil
}

func (s *schemas) numbered(number uint32) (*goavro.Codec, error) {
	if known, ok := s.byNumber[number]; ok {
		return known, nil
	}
	answer, err := http.Get(fmt.Sprintf("%s/schemas/ids/%d", s.url, number))
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var body struct{ Schema string }
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
		return nil, err
	}
	codec, err := goavro.NewCodec(body.Schema)
	if err == nil {
		s.byNumber[number] = codec
	}
	return codec, err
}

// The fields of an outcome; nil: its schema is newer than this reader's.
func (s *schemas) decoded(value []byte) (fields map[string]any, err error) {
	if value[0] == '{' {
		return fields, json.Unmarshal(value, &fields)
	}
	var codec *goavro.Codec
	start := 5
	if value[0] == 0 {
		codec, err = s.numbered(binary.BigEndian.Uint32(value[1:5]))
	} else {
		codec, start = s.byFingerprint[binary.LittleEndian.Uint64(value[2:10])], 10
	}
	if codec == nil {
		return nil, err
	}
	content, _, err := codec.NativeFromBinary(value[start:])
	if err != nil {
		return nil, err
	}
	return content.(map[string]any), nil
}

func header(record *kgo.Record, name string) string {
	for _, header := range record.Headers {
		if header.Key == name {
			return string(header.Value)
		}
	}
	return ""
}

// A union has the name of the kind around its value.
func text(value any) string {
	if union, ok := value.(map[string]any); ok {
		for _, inner := range union {
			return text(inner)
		}
	}
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

func (s *schemas) show(record *kgo.Record) error {
	fields, err := s.decoded(record.Value)
	if fields == nil || err != nil {
		return err // types that a reader does not know are to be ignored
	}
	kind := header(record, "ce_type")
	line := map[string]string{"record": kind[strings.LastIndex(kind, ".")+1:]}
	for _, name := range shown {
		if value := text(fields[name]); value != "" {
			line[name] = value
		}
	}
	return json.NewEncoder(os.Stdout).Encode(line)
}

// All that the topic has now. A service would consume with a group, and go on.
func read(broker, topic, place string) error {
	s, err := readSchemas(place)
	if err != nil {
		return err
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		return err
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	first, err := admin.ListStartOffsets(context.Background(), topic)
	if err != nil {
		return err
	}
	ends, err := admin.ListEndOffsets(context.Background(), topic)
	if err != nil {
		return err
	}
	left := map[int32]int64{}
	ends.Each(func(end kadm.ListedOffset) {
		if begin, ok := first.Lookup(topic, end.Partition); ok && begin.Offset < end.Offset {
			left[end.Partition] = end.Offset
		}
	})
	seen := map[string]bool{}
	for len(left) > 0 {
		fetches := client.PollFetches(context.Background())
		if err := fetches.Err(); err != nil {
			return err
		}
		for _, record := range fetches.Records() {
			if record.Offset+1 >= left[record.Partition] {
				delete(left, record.Partition)
			}
			id := header(record, "ce_id")
			if seen[id] {
				continue // a message can come again after a crash
			}
			seen[id] = true
			if err := s.show(record); err != nil {
				return err
			}
		}
	}
	return nil
}

func main() {
	if err := read(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}
