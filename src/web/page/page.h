/* The page for people at `/`: whether last night was right, what needs a person, and where to look
 * further. Its views are a table (page.c).
 *
 * Invariant: it only reads; what is posted starts a command (act_post.h). Its queries run in
 * read-only transactions on a connection of its own, with a time-out, few at a time; metrics,
 * health and steps never wait for it. An answer is kept for a few seconds, so any number of readers
 * costs one query in that time.
 *
 * Threads: main makes and frees it; page_answer: those of requests.
 * Ownership: page_free; CONFIG and COMMAND are borrowed.
 */
#pragma once
#include "config/config.h"
#include "web/page/act_post.h"
#include "web/web.h"

typedef struct _Page Page;
/* COMMAND: of what actions start. NULL: PRUNED_FATAL, `[http]` is wrong about them. */
Page *page_new (const Config *config, const ActCommand *command, GError **error);
void page_free (Page *page); /* NULL: nothing */
/* A WebAnswer. */
guint page_answer (Page *page, const WebRequest *request, WebReply *reply);
