#include "avro/members.h"

#include <string.h>

/* The end of the string that begins at AT. */
static const char *
string_end (const char *at)
{
  for (at++; *at != '"'; at++)
    at += *at == '\\';
  return at + 1;
}

/* The end of the value that begins at AT. */
static const char *
value_end (const char *at)
{
  int depth = 0;
  do {
    if (*at == '"') {
      at = string_end (at);
      continue;
    }
    depth += *at == '{' || *at == '[';
    depth -= *at == '}' || *at == ']';
    at++;
  } while (depth > 0 || strchr (",}]", *at) == NULL);
  return at;
}

const char *
members_begin (const char *object)
{
  return object + 1;
}

gboolean
members_next (const char **at, Slice *key, Slice *value)
{
  if (**at != '"')
    return FALSE;
  const char *text = string_end (*at) + 1;
  *key = (Slice){ *at + 1, (gsize)(text - *at) - 3 };
  *value = (Slice){ text, (gsize)(value_end (text) - text) };
  *at = text + value->len;
  *at += **at == ',';
  return TRUE;
}
