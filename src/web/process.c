#include "web/process.h"

#include "web/exposition.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define FIRST_FIELD 3 /* number of the first field behind the name in /proc/self/stat */
enum { UTIME = 14, STIME = 15, STARTTIME = 22, VSIZE = 23, RSS = 24 };

static double
boot_time (void)
{
  g_autofree char *text = NULL;
  const char *line
      = g_file_get_contents ("/proc/stat", &text, NULL, NULL) ? strstr (text, "\nbtime ") : NULL;
  return line != NULL ? g_ascii_strtod (line + strlen ("\nbtime "), NULL) : 0;
}

static guint
open_files (void)
{
  guint n = 0;
  g_autoptr (GDir) folder = g_dir_open ("/proc/self/fd", 0, NULL);
  while (folder != NULL && g_dir_read_name (folder) != NULL)
    n++;
  return n;
}

static void
add_stat (GString *body, char **fields)
{
  double ticks = (double)sysconf (_SC_CLK_TCK);
#define FIELD(n) g_ascii_strtod (fields[(n) - FIRST_FIELD], NULL)
  exposition_head (body, "process_cpu_seconds_total", "counter", "CPU time, user and system.");
  exposition_value (body, "process_cpu_seconds_total", "", (FIELD (UTIME) + FIELD (STIME)) / ticks);
  exposition_gauge (body, "process_start_time_seconds", "When the process began, since the epoch.",
                    boot_time () + FIELD (STARTTIME) / ticks);
  exposition_gauge (body, "process_virtual_memory_bytes", "Address space.", FIELD (VSIZE));
  exposition_gauge (body, "process_resident_memory_bytes", "Resident memory.",
                    FIELD (RSS) * (double)sysconf (_SC_PAGESIZE));
#undef FIELD
}

void
process_add (GString *body)
{
  g_autofree char *text = NULL;
  struct rlimit limit;
  exposition_head (body, "pruned_build_info", "gauge", "1, with the version of this process.");
  exposition_value (body, "pruned_build_info", "version=\"" PRUNED_VERSION "\"", 1);
  const char *behind
      = g_file_get_contents ("/proc/self/stat", &text, NULL, NULL) ? strrchr (text, ')') : NULL;
  if (behind != NULL && strlen (behind) > 2) {
    g_auto (GStrv) fields = g_strsplit (behind + 2, " ", -1);
    if (g_strv_length (fields) > RSS - FIRST_FIELD)
      add_stat (body, fields);
  }
  exposition_gauge (body, "process_open_fds", "Open files and connections.", open_files ());
  if (getrlimit (RLIMIT_NOFILE, &limit) == 0)
    exposition_gauge (body, "process_max_fds", "The limit of open files and connections.",
                      (double)limit.rlim_cur);
}
