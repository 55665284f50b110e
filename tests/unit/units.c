/* The program that is each of the C units, by the name that it is called by: build/release/unit is
 * a folder of links to it. One program is linked in a second, a hundred in minutes. */
#include <glib.h>

#include <stdlib.h>

typedef int Main (int argc, char **argv);

#define UNIT(name, main) extern Main main;
#include "units.h"
#undef UNIT

static const struct {
  const char *name; /* below tests/unit, without its ending */
  Main *main;
} UNITS[] = {
#define UNIT(name, main) { "unit/" name, main },
#include "units.h"
};

int
main (int argc, char **argv)
{
  for (size_t i = 0; i < G_N_ELEMENTS (UNITS); i++)
    if (g_str_has_suffix (argv[0], UNITS[i].name))
      return UNITS[i].main (argc, argv);
  g_printerr ("%s: there is no unit of this name\n", argv[0]);
  return EXIT_FAILURE;
}
