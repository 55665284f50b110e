/* Retries dead letters: sends them again, unchanged, to the topic they came from if that is one of
 * ours; starts what those of applications' own topics ask for.
 *
 * Invariant: `sent` is set only after Kafka has the message, or PostgreSQL its runs.
 * Threads: main only. Ownership: a Resend is the command's; letters are borrowed.
 */
#pragma once
#include "cli/dead/letter.h"

typedef struct {
  Cli *cli;
  Pg *pg;
  const char *prefix;
  char **settings; /* [kafka] */
  KafkaAdmin *admin;
  KafkaProducer *producer;
  GHashTable *partitions; /* topic -> number of partitions; -1: it does not exist */
  GPtrArray *own;         /* applications' own topics that jobs in force read */
} Resend;

/* All is borrowed. */
Resend *resend_new (Cli *cli, Pg *pg, char **settings, GError **error);
void resend_free (Resend *resend);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Resend, resend_free)

/* Retries LETTERS and waits. For each letter either SENT becomes TRUE, or WHY (g_free it) says why
 * it can never be; neither: it was not reached, and ERROR says why. */
ExitCode resend_letters (Resend *resend, const GPtrArray *letters, gboolean *sent, char **why,
                         GError **error);
