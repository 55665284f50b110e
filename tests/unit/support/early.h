/* A lane that is offered steps, and whose messages come.
 *
 * Threads: the test's own. Ownership: of this module, until early_scene_end.
 */
#pragma once
#include "avro/message.h"
#include "engine/lane/early.h"
#include "engine/step/step.h"
#include "support/lanes.h"
#include "support/played.h"

#define EARLY_A "7fecac87-579a-560b-ad38-6378e9e225c0"
#define EARLY_B "7fecac87-579a-560b-ad38-6378e9e225c1"
#define EARLY_LANE 3

typedef struct {
  Lanes *lanes;
  Lane *lane;
  JobErrand errand;
  JobCode code;
  Job job;
  Pg *pg;
  gint64 offset; /* of the next message */
} EarlyScene;

extern EarlyScene early_scene;

/* Its lane has read messages, seconds ago. */
void early_scene_begin (void);
void early_scene_end (void);
void early_scene_offer (const char *run_id, int step);
KafkaMessage *early_scene_message (const char *run_id, int step, int attempt);
/* The mailbox had MESSAGE (taken); NULL: it was empty. */
void early_scene_read (KafkaMessage *message);
/* The only pending work of the lane is that step. */
void early_scene_is (const char *run_id, int step, gboolean by_message);
void early_scene_remove (void);
/* The first of its pending work is committed. */
void early_scene_commit (const char *run_id, int step, gint64 delay_ms, gboolean continues);
/* A step is done before its message comes. */
void early_scene_do (const char *run_id, int step);
/* A message of that step comes: is it dropped? */
gboolean early_scene_drops (const char *run_id, int step);
