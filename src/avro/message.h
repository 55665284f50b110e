/* The messages of docs/messages.md: their content, their framing, the reasons to refuse them. The
 * first bytes of a value tell Avro (single-object encoding) from JSON.
 *
 * A message's content is a json_t object with the schema's field names; times (timestamp-micros)
 * are RFC 3339 texts in it, dates (date) `YYYY-MM-DD`, `args` and `cursor` JSON values themselves
 * (not texts).
 *
 * Threads: any.
 * Ownership: see each function.
 */
#pragma once
#include "base/header.h"
#include "base/json.h"

/* Loads the embedded schemas (schemas/avro), if that has not been done; all that follows does it
 * when it is first called. A schema that cannot be read is a bug: g_error. */
void message_setup (void);

/* The full names of all schemas (`pruned.Tick`, `pruned.events.MemberExpirySet`,
 * `pruned.outcomes.MemberRemoved`), sorted, NULL-terminated; owned by the module. */
const char *const *message_types (void);

/* The schema's text as in its file; NULL: no such schema. Owned by the module. */
const char *message_schema (const char *type);

/* CRC-64-AVRO of the schema's parsing canonical form (Avro 1.11 specification). */
guint64 message_fingerprint (const char *type);

/* Appends the value of a message of TYPE, framed as single-object Avro. CONTENT must fit the
 * schema; fields with a default can be missing (MemberExpirySet.expires_at has none: null cancels).
 * PostgreSQL's date `infinity` becomes null. PRUNED_FATAL: CONTENT does not fit (a bug); it names
 * the field, and OUT is unchanged. */
gboolean message_encode (const char *type, const json_t *content, GByteArray *out, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* The fast path, for thousands of messages of one type from columns of text. FIELDS are in the
 * schema's order; NULL is null. Numbers, times and dates are text as PostgreSQL prints it in UTC
 * with ISO dates (`2026-11-21 10:20:30.123456+00`), or RFC 3339; lists of ids are `{1,2}` or
 * `[1,2]`. */
gboolean message_encode_texts (const char *type, const char *const *fields, GByteArray *out,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The field names of a record in the schema's order, NULL-terminated; NULL: no such type. Owned by
 * the module. */
const char *const *message_fields (const char *type);
/* Whether a message of TYPE cannot be without this one of its fields: it is not null, and has no
 * default. */
gboolean message_needs (const char *type, const char *field);
/* Whether TEXT can be the value of this field of TYPE, as message_encode_texts reads it. */
gboolean message_field_takes (const char *type, const char *field, const char *text, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* A received value and what is known of it. */
typedef struct {
  const guint8 *value; /* NULL: a tombstone */
  gsize value_len;
  const MessageHeader *headers;
  guint n_headers;
  const char
      *type; /* the type if ce_type is missing (ticks: pruned.Tick); NULL: ce_type is required */
  const char *space; /* the types of this topic: "pruned.Tick", or a prefix like "pruned.events." */
  const char *const
      *wanted; /* the only fields of an Avro value that content gets, NULL-terminated; NULL: all */
  gboolean is_registered; /* the frame of a schema registry is read, too */
} MessageSource;

typedef struct {
  char *type;              /* full name */
  json_t *content;         /* all fields of the schema; missing ones have their default */
  char *args_text;         /* canonical `args` of a Tick, with numbers as written; else NULL */
  char *ce_id, *ce_source; /* NULL: missing or empty */
  gboolean id_is_plain;    /* ce_id is missing, and ce_id here is the header `id`, or: */
  gboolean id_is_of_value; /* what the value has where an [event] section says; several rows can
                              have it */
  gint64 ce_time_us;       /* 0: missing or empty */
} MessageDecoded;
void message_decoded_clear (MessageDecoded *decoded);

/* PRUNED_REJECT with a reason of docs/messages.md (`missing header ce_type`, `unknown type <t>`,
 * `unexpected type <t>`, `unknown field <f>`, `undecodable: <why>`, `unknown content-type <c>`,
 * `undecodable: content-type <c>, but the bytes are <framing>`, `empty value`, `unknown schema
 * <id>`, `undecodable: no registry configured: ...` for a value in the frame of a schema registry).
 * Every fault of a producer ends here; none crashes. PRUNED_OUTAGE: the registry does not answer.
 */
gboolean message_decode (const MessageSource *source, MessageDecoded *out, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* The parts of message_decode that also other messages have. *TEXT: borrowed; NULL: the header is
 * missing, null or empty. The case of `ce_...` and `content-type` does not count. */
gboolean message_header (const MessageSource *source, const char *name, const char **text,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* PRUNED_REJECT: a CloudEvent of another VERSION than 1.0; NULL: it says none. */
gboolean message_version (const char *version, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The length of TYPE without a version at its end: of `shop.UserErased.v2` that of
 * `shop.UserErased`. */
gsize message_type_len (const char *type);
/* Sets ce_id (of the header `id`, where that is missing), ce_source and ce_time_us of OUT. */
gboolean message_identity (const MessageSource *source, MessageDecoded *out, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Makes a reason fit for a header and a log line: printable, and no longer than a line. g_free it.
 */
char *message_printable (const char *reason);

/* The version of avro-c that this was built with, for `pruned version`. Static. */
const char *message_library_version (void);
