module pruned/examples/outcomes

go 1.25.0

require (
	github.com/linkedin/goavro/v2 v2.15.0
	github.com/twmb/franz-go v1.21.7
	github.com/twmb/franz-go/pkg/kadm v1.17.2
)

require (
	github.com/golang/snappy v0.0.1 // indirect
	github.com/klauspost/compress v1.19.2 // indirect
	github.com/pierrec/lz4/v4 v4.1.26 // indirect
	github.com/twmb/franz-go/pkg/kmsg v1.13.1 // indirect
	golang.org/x/crypto v0.45.0 // indirect
)
