/* A message of an application's own topic, as the [event NAME] sections read it: whether it fits,
 * which row it names, when that is due, and who sent it. The value is read when an event first
 * needs it, in the format of that event.
 *
 * Errors are PRUNED_REJECT with a reason of docs/messages.md, and name the path; PRUNED_OUTAGE: the
 * schema registry does not answer.
 *
 * Threads: any; an OwnEvent belongs to one thread. Ownership: see each function.
 */
#pragma once
#include "avro/message.h"
#include "engine/job/sentence/sentence.h"

#define OWN_EVENT_CE "ce_" /* the headers of a CloudEvent's attributes begin so */

typedef struct {
  gboolean is_read;
  json_t *body;       /* numbers with a fraction are texts in it; NULL: it cannot be read: */
  GHashTable *types;  /* json_t in it -> what its schema calls it, borrowed */
  GError *unreadable; /* why */
} OwnBody;

typedef struct {
  const MessageSource *source;
  char *type;          /* NULL: the message does not say it */
  gboolean is_whole;   /* a CloudEvent in structured mode: its attributes are in the JSON */
  OwnBody json, avro;  /* the value as JSON, and as Avro: */
  const Shape *schema; /* of this file; NULL: of the registry's */
  const char *record;  /* the full name of the Avro record; NULL: the value is none */
} OwnEvent;

/* SOURCE must outlive OWN. After an error OWN is clear. */
gboolean own_event_open (OwnEvent *own, const MessageSource *source, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
void own_event_clear (OwnEvent *own);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (OwnEvent, own_event_clear)

/* Whether a message of TYPE is one of the event NAME: `com.example.UserErased` is a `UserErased`,
 * and so is `com.example.UserErased.v2`. */
gboolean own_event_type_is (const char *type, const char *name);
/* Whether the message is one of EVENT: its type is the event's, if it says one, and all of `match`
 * hold. The value is read only if that needs it. An error: it cannot be told. */
gboolean own_event_fits (OwnEvent *own, const SentenceEvent *event, gboolean *fits, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The values of the primary key's columns as texts, g_strfreev them. NULL: one is missing, null, or
 * no value of a column. */
char **own_event_key (OwnEvent *own, const SentenceEvent *event, GError **error);
/* *DUE: RFC 3339 in UTC, g_free it; NULL: the message names none. */
gboolean own_event_due (OwnEvent *own, const SentenceEvent *event, char **due, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* ce_id, ce_source and ce_time, and in place of an id that is missing what the value has at EVENT's
 * `id`; message_decoded_clear it. */
gboolean own_event_identity (OwnEvent *own, const SentenceEvent *event, MessageDecoded *out,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The header NAME, borrowed; of a CloudEvent in structured mode `ce_type` and the others also stand
 * in its value. *TEXT NULL: it has none. An error: it has two values, or is no text. */
gboolean own_event_header (const OwnEvent *own, const char *name, const char **text, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* What the message says where its type may be meant, if it is EVENT's type but for case, quotes,
 * signs between words, or a version: `header eventType userErased`, g_free it. NULL: nothing is
 * near. */
char *own_event_near (OwnEvent *own, const SentenceEvent *event);

/* The value as EVENT has it, borrowed. NULL: it cannot be read. */
const json_t *own_event_body (OwnEvent *own, const SentenceEvent *event, GError **error);
/* `"5"`, `5` and `true` are written alike. NULL: not a single value. g_free it. */
char *own_event_text (const json_t *value);
/* What PATH (`payload.items.0.id`) names in BODY; NULL: nothing. Borrowed. */
const json_t *own_event_find (const json_t *body, const char *path);
