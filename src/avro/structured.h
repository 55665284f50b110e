/* CloudEvents in structured mode (CloudEvents 1.0, Kafka protocol binding, chapter 3.3): a message
 * with the content type `application/cloudevents+json`, whose value has the attributes and, as
 * `data`, the content. It is opened to the same message in binary mode, so everything behind it
 * knows one mode only.
 *
 * Threads: any.
 */
#pragma once
#include "avro/message.h"

typedef struct {
  MessageSource source; /* in binary mode; valid until structured_clear */
  GArray *headers;      /* of MessageHeader */
  GPtrArray *texts;     /* of char: the attributes */
  char *body;           /* canonical */
} Structured;

/* *IS_STRUCTURED: SOURCE is one, and OPENED has it; structured_clear it in any case. An attribute
 * stands for the header `ce_` and its name, `datacontenttype` for `content-type`; the other headers
 * stay. So one that is also a header, with another value, makes the message refused. PRUNED_REJECT
 * with a reason of docs/messages.md. */
gboolean structured_open (Structured *opened, const MessageSource *source, gboolean *is_structured,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
void structured_clear (Structured *opened);
