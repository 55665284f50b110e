/* The messages of docs/messages.md: what is in them, how they are framed, how they are refused.
 * Avro (single-object encoding, later the Confluent wire format) and JSON, by the first bytes of
 * the value.
 *
 * A message's content is a json_t object with the schema's field names; times (timestamp-micros)
 * are RFC 3339 texts in it, dates (date) `YYYY-MM-DD`, `args` and `cursor` JSON values themselves
 * (not texts).
 *
 * Threads: any, after message_setup.
 * Ownership: as said at each function.
 */
#pragma once
#include "base/header.h"
#include "base/json.h"

/* Loads the embedded schemas (schemas/avro). A schema that cannot be read is a bug: g_error. Call
 * once, before threads. */
void message_setup (void);

/* Names of all schemas, full names (`pruned.Tick`, `pruned.events.MemberExpirySet`,
 * `pruned.outcomes.MemberRemoved`), sorted, NULL-terminated; owned by the module. */
const char *const *message_types (void);

/* The schema's text as in the file; NULL if there is none. Owned by the module. */
const char *message_schema (const char *type);

/* CRC-64-AVRO of the schema's parsing canonical form (Avro 1.11 specification). */
guint64 message_fingerprint (const char *type);

/* Appends the value of a message of TYPE, framed as single-object Avro. CONTENT must fit the
 * schema; fields with a default may be missing (MemberExpirySet.expires_at has none: null cancels).
 * A date that PostgreSQL calls infinity is null. PRUNED_FATAL if it does not fit (a bug), naming
 * the field; OUT is unchanged then. */
gboolean message_encode (const char *type, const json_t *content, GByteArray *out, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Fast path: the writer for thousands of messages of one type from columns of text. A value NULL is
 * null. FIELDS are in the schema's order; ints, longs, times and dates are given as text as
 * PostgreSQL prints them in UTC with ISO dates
 * (`2026-11-21 10:20:30.123456+00`) or RFC 3339, lists of ids as `{1,2}` or `[1,2]`. */
gboolean message_encode_texts (const char *type, const char *const *fields, GByteArray *out,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The field names of a record in the schema's order, NULL-terminated; NULL: no such type. Owned by
 * the module. */
const char *const *message_fields (const char *type);

/* What a received value is. */
typedef struct {
  const guint8 *value; /* NULL: a tombstone */
  gsize value_len;
  const MessageHeader *headers;
  guint n_headers;
  const char *type;  /* the type a missing ce_type means (ticks: pruned.Tick), or NULL: ce_type is
                        required */
  const char *space; /* types of this topic: "pruned.Tick", or a prefix "pruned.events." */
  const char *const
      *wanted; /* the fields of an Avro value that content is to have, NULL-terminated; NULL: all */
} MessageSource;

typedef struct {
  char *type;      /* full name */
  json_t *content; /* all fields of the schema; those that were missing have their default */
  char *args_text; /* canonical `args` of a Tick with numbers as written; else NULL */
  char *ce_id, *ce_source; /* NULL: not given */
  gint64 ce_time_us;       /* 0: not given; an empty header is not given */
} MessageDecoded;
void message_decoded_clear (MessageDecoded *decoded);

/* PRUNED_REJECT with a reason of docs/messages.md (`missing header ce_type`, `unknown type <t>`,
 * `unexpected type <t>`, `unknown field <f>`, `undecodable: <why>`, `unknown content-type <c>`,
 * `undecodable: content-type <c>, but the bytes are <framing>`, `empty value`, `unknown schema
 * <id>`, `undecodable: no registry configured: ...` for a value that is framed for one). Every way
 * a producer can be wrong ends here, none crashes. */
gboolean message_decode (const MessageSource *source, MessageDecoded *out, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* For `pruned version`: the avro-c that this was built with. Static. */
const char *message_library_version (void);
