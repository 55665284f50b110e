/* What `pruned why` says of a row, of one job: a line for people with its commands, or a row of
 * JSON.
 *
 * Threads: main only. Ownership: texts are borrowed.
 */
#pragma once
#include "cli/cli.h"

typedef struct {
  const char *job;     /* NULL: of none */
  const char *verdict; /* docs/night.md */
  const char *reason;  /* NULL: none */
  gint64 due_us;       /* -1: none */
  const char *next_at; /* NULL: not known */
  const char *commands[2];
} WhyLine;

/* Of the row KEY of TABLE: a row of the table of why.c, or SAYS. */
void why_line_show (Output *out, const char *table, const char *key, const WhyLine *line,
                    const char *says);
