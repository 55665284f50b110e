#include "cli/versions.h"

#include "store/probe.h"

#define ALL                                                                                        \
  "[store.object]\n  versions = all    # every version goes; else let a rule of the bucket's lifecycle expire them"
#define LIST_RIGHT                                                                                 \
  "allow s3:ListBucketVersions and s3:DeleteObjectVersion, or set [store.object] versions = current"

static Versions
all_versions (const Config *config, const char *bucket)
{
  g_autoptr (GError) error = NULL;
  if (probe_list (config, bucket, &error))
    return (Versions){ VERSIONS_FINE, g_strdup ("every version of an object goes"), NULL };
  return (Versions){ VERSIONS_LOCKED, g_strdup (error->message), LIST_RIGHT };
}

Versions
versions_of (const Config *config, const char *bucket)
{
  g_autofree char *why = NULL;
  const char *name = bucket != NULL ? bucket : config_text (config, "store.object", "bucket");
  if (g_str_equal (config_text (config, "store.object", "versions"), "all"))
    return all_versions (config, bucket);
  switch (probe_versions (config, bucket, &why)) {
  case BUCKET_PLAIN:
    return (Versions){ VERSIONS_FINE, g_strdup ("it keeps no versions"), NULL };
  case BUCKET_VERSIONS:
    return (Versions){
      VERSIONS_STAY,
      g_strdup_printf ("bucket %s keeps versions: an object that is deleted stays readable by them",
                       name),
      ALL
    };
  case BUCKET_UNKNOWN:
    break;
  }
  return (Versions){ VERSIONS_FINE,
                     g_strdup_printf ("whether it keeps versions is not known: %s", why), NULL };
}

void
versions_clear (Versions *versions)
{
  g_free (versions->words);
}
