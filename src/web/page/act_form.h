/* What was posted: whether this page has posted it, and whether it is what the page has shown.
 *
 * Threads: the request's. Ownership: as said.
 */
#pragma once
#include "web/page/act.h"

/* Whether a page of this place has posted; HOSTS as hosts_has takes them. */
gboolean act_form_is_ours (const char *hosts, const WebRequest *request);
/* The value of a field; NULL: it has none. */
const char *act_form_field (const WebRequest *request, const char *name);
/* The same; nothing is an empty text. */
const char *act_form_given (const WebRequest *request, const char *name);
/* Texts of one line, in fields that the form of ACT has. */
gboolean act_form_fits (const Act *act, const WebRequest *request);
/* NULL: it stands as the form says, and the number that was typed is right. Else what is otherwise;
 * g_free it. */
char *act_form_changed (const Act *act, const WebRequest *request, const ActSeen *seen);
