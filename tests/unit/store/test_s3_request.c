/* The address of `[store.object]`: what is refused of it, and that no password is shown. */
#include "store/s3_request.h"

#include "support/config_file.h"

#include <string.h>

#define AT "[store.object] "

static void
test_addresses (void)
{
  static const struct {
    const char *endpoint, *addressing, *bucket, *why; /* WHY NULL: it is taken */
  } cases[] = {
    { "https://s3.example.org", "path", "b", NULL },
    { "http://127.0.0.1:9000/", "path", "b", NULL },
    { "https://s3.example.org", "host", "b", NULL },
    { "https://s3.example.org", "path", "", AT "bucket: '' is no name of a bucket" },
    { "", "path", "b", AT "endpoint: '' is no URL of a service, like https://s3.example.org" },
    { "s3.example.org", "path", "b",
      AT "endpoint: 's3.example.org' is no URL of a service, like https://s3.example.org" },
    { "ftp://s3.example.org", "path", "b",
      AT "endpoint: 'ftp://s3.example.org' is neither https:// nor http://" },
    { "http://127.0.0.1:9000", "host", "b",
      AT "addressing: 'host' puts the bucket in front of the endpoint's name, and the endpoint is "
         "a number: use path" },
    { "ftp://me:hush@s3.example.org", "path", "b",
      AT "endpoint: 'ftp://me:***@s3.example.org' is neither https:// nor http://" },
    { "https://me:hush@s3.example.org", "path", "b",
      AT
      "endpoint: 'https://me:***@s3.example.org' holds a name: that belongs to access_key and secret_key" },
    { "https://me:hush@", "path", "b",
      AT "endpoint: 'https://me:***@' is no URL of a service, like https://s3.example.org" },
    { "s3://me:hu/sh@x", "path", "b",
      AT "endpoint: 's3://me:***@x' is no URL of a service, like https://s3.example.org" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *text
        = g_strdup_printf ("[store.object]\nendpoint = %s\naddressing = %s\nbucket = %s\n",
                           cases[i].endpoint, cases[i].addressing, cases[i].bucket);
    g_autoptr (Config) config = config_load_text (text);
    S3Target *target = s3_target_new (config, NULL, &error);
    g_test_message ("%s", cases[i].endpoint);
    g_assert_true ((target != NULL) == (cases[i].why == NULL));
    if (target == NULL)
      g_assert_cmpstr (error->message, ==, cases[i].why);
    g_clear_pointer (&target, s3_target_free);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/s3_request/addresses", test_addresses);
  return config_test_run ();
}
