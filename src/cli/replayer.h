/* What a command needs to give messages to the ledger itself, as intake does
 * (engine/ledger/replay.h): settings, the partitions of work topics, a producer for work messages,
 * the schema registry.
 *
 * Threads: main only. Ownership: replayer_close.
 */
#pragma once
#include "cli/cli.h"
#include "engine/ledger/replay.h"
#include "engine/service/service.h"

typedef struct {
  Service service; /* only the fields that are needed here */
  Replay replay;   /* with `tell` and `data` of the caller; perhaps `job` */
  KafkaProducer *producer;
  Publisher *publisher;
  char *ticks;
  GHashTable *announced;
} Replayer;

/* PG and SETTINGS ([kafka]) are borrowed. DRY: nothing is started. Close it whatever is returned.
 */
ExitCode replayer_open (Replayer *replayer, Cli *cli, Pg *pg, char **settings, gboolean dry,
                        GError **error);
void replayer_close (Replayer *replayer);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Replayer, replayer_close)
