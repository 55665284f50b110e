/* The pages of other databases, which `[http] links` names: NAME=URL, comma-separated.
 *
 * Threads: any. Ownership: none.
 */
#pragma once
#include "base/html.h"
#include "config/config.h"

/* FALSE: one of them is no NAME=URL (PRUNED_FATAL). */
gboolean elsewhere_check (const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* A menu of LINKS, as the setting has them; nothing without one. */
void elsewhere_show (Html *html, const char *links);
