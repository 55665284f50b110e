#include "cli/ask.h"

#include "cli/cli.h"

#include <stdio.h>
#include <unistd.h>

ExitCode
ask_first (gboolean yes, const char *deed, GError **error)
{
  char answer[16];
  if (yes)
    return CODE_OK;
  if (!isatty (STDIN_FILENO) || !isatty (STDERR_FILENO))
    return cli_usage (error, "this would %s; nothing was changed: add --yes to do it", deed);
  g_printerr ("This will %s. Go on? [y/N] ", deed);
  gboolean agreed
      = fgets (answer, sizeof answer, stdin) != NULL && (answer[0] == 'y' || answer[0] == 'Y');
  return agreed ? CODE_OK : cli_usage (error, "nothing was changed");
}
