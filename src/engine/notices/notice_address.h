/* Where notices go: [notify] url, or the file that has it. It is a secret, and never said: whoever
 * knows the address of a chat can write there.
 *
 * Threads: any. Ownership: g_free what is returned.
 */
#pragma once
#include "config/config.h"

/* The settings have an address: notices are wanted. */
gboolean notice_address_is_set (const Config *config);
/* The address, as it is now. NULL: an error. */
char *notice_address_url (const Config *config, GError **error);
/* The bearer token, as it is now. NULL: there is none, or an error. */
char *notice_address_token (const Config *config, GError **error);
/* Both can be read, or are not wanted. */
gboolean notice_address_check (const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The address is `http:` of another machine: whoever is on the way reads what is posted. */
gboolean notice_address_is_open (const Config *config);
