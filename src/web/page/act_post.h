/* Answers what is posted to the page: an action, once it is clear that it comes from this page
 * itself, who asks, that they may, and that it still stands as they saw it. All else is answered
 * and nothing is done.
 *
 * Threads: main makes and frees it; act_post_answer: those of requests.
 * Ownership: act_post_free; CONFIG and COMMAND are borrowed.
 */
#pragma once
#include "config/config.h"
#include "web/web.h"

/* How a command of this daemon begins: its program, and where its settings come from. */
typedef struct {
  const char *file;             /* -c; NULL: none */
  const char *const *overrides; /* -s, ended by NULL; NULL: none */
} ActCommand;

typedef struct _ActPost ActPost;
ActPost *act_post_new (const Config *config, const ActCommand *command, GError **error);
void act_post_free (ActPost *post); /* NULL: nothing */
/* What act_post_new would refuse. */
gboolean act_post_check (const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* A WebAnswer to a POST. POST NULL: actions are off. */
guint act_post_answer (ActPost *post, const char *hosts, const WebRequest *request,
                       WebReply *reply);
