#include "cli/output/output_private.h"

#include "base/words.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH 80        /* of a terminal that does not say it */
#define NARROWEST 40    /* what says less is no terminal to read on */
#define LONGEST_WORD 36 /* a run's id; what is longer is cut */
#define NARROWEST_COLUMN 12
#define DATE 10 /* a time takes two lines: its date, and its time of day */

static int
terminal_width (void)
{
  struct winsize size = { 0 };
  gboolean said = ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= NARROWEST;
  return said ? size.ws_col : WIDTH;
}

int
output_width (const Output *out)
{
  return out->terminal ? terminal_width () : G_MAXINT;
}

char *
output_wrapped (const Output *out, const char *text, int indent)
{
  if (!out->terminal)
    return g_strdup (text);
  g_auto (GStrv) lines = words_wrap (text, MAX (output_width (out) - indent, NARROWEST / 2));
  g_autofree char *blank = g_strnfill ((gsize)indent, ' '), *next = g_strconcat ("\n", blank, NULL);
  return g_strjoinv (next, lines);
}

/* --- widths --- */

static int
longest_word (const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  glong longest = 0;
  for (char **word = words; *word != NULL; word++)
    longest = MAX (longest, words_width (*word));
  return (int)MIN (longest, LONGEST_WORD);
}

static void
measure (Output *out, guint column, const char *text)
{
  const CellType type = out->columns[column].type;
  const int width = (int)words_width (text), most = out->widths[column];
  const int least = type == CELL_TIME && width > DATE && text[DATE] == ' ' ? DATE
                    : type == CELL_TEXT || type == CELL_JSON               ? longest_word (text)
                                                                           : width;
  out->widths[column] = MAX (most, width);
  out->least[column] = MAX (out->least[column], least);
}

static gboolean
is_shown (const Output *out, guint column)
{
  return !out->columns[column].detail && !out->left_out[column];
}

/* Makes the widest column of TYPE, or of JSON with texts, narrower by 1, without cutting a word or
 * with (TO >= 0: but not below that). FALSE: none can be. */
static gboolean
narrow (Output *out, CellType type, int to)
{
  int widest = -1;
  for (guint i = 0; i < out->n_columns; i++) {
    const CellType own = out->columns[i].type;
    const gboolean fits = own == type || (type == CELL_TEXT && own == CELL_JSON);
    if (fits && is_shown (out, i) && out->widths[i] > (to >= 0 ? to : out->least[i])
        && (widest < 0 || out->widths[i] > out->widths[widest]))
      widest = (int)i;
  }
  if (widest >= 0)
    out->widths[widest]--;
  return widest >= 0;
}

static int
whole_width (const Output *out)
{
  int width = -(int)strlen (GAP);
  for (guint i = 0; i < out->n_columns; i++)
    if (is_shown (out, i))
      width += out->widths[i] + (int)strlen (GAP);
  return width;
}

/* Of the columns that an operator needs least, the first ones have what room there is. */
static void
leave_out (Output *out, int most)
{
  for (guint i = 0; i < out->n_columns; i++)
    out->left_out[i] = out->columns[i].roomy;
  for (guint i = 0; i < out->n_columns; i++) {
    const gboolean was = out->left_out[i];
    out->left_out[i] = FALSE;
    out->left_out[i] = was && whole_width (out) > most;
  }
}

void
output_fit (Output *out)
{
  for (guint i = 0; i < out->n_columns; i++) {
    measure (out, i, out->columns[i].name);
    for (guint row = 0; row < out->rows->len; row++) {
      g_autofree char *text
          = cell_text (&out->columns[i], TRUE, json_array_get (out->rows->pdata[row], i));
      measure (out, i, text);
    }
  }
  const int most = output_width (out);
  if (!out->named)
    leave_out (out, most);
  while (whole_width (out) > most
         && (narrow (out, CELL_TEXT, -1) || narrow (out, CELL_TIME, -1)
             || narrow (out, CELL_TEXT, NARROWEST_COLUMN)))
    ;
}

/* --- rows --- */

/* SPACES fill the column: before a number, behind any other text. */
static void
put_cell (Output *out, CellType type, const char *text, int spaces)
{
  g_autofree char *blank = g_strnfill (MAX (spaces, 0), ' ');
  if (type == CELL_NUMBER)
    output_put (out, blank);
  output_put (out, text);
  if (type != CELL_NUMBER)
    output_put (out, blank);
}

static guint
last_shown (const Output *out)
{
  guint last = 0;
  for (guint i = 0; i < out->n_columns; i++)
    if (is_shown (out, i))
      last = i;
  return last;
}

/* Line NUMBER of the row whose cells have LINES, each a GStrv. */
static void
put_line (Output *out, const GPtrArray *lines, guint number, gboolean names)
{
  const guint last = last_shown (out);
  for (guint i = 0; i <= last; i++) {
    const Column *column = &out->columns[i];
    GStrv cell = lines->pdata[i];
    if (!is_shown (out, i))
      continue;
    const char *text = number < g_strv_length (cell) ? cell[number] : "";
    g_autofree char *shown = names ? g_strdup (text) : output_coloured (out, text);
    const int spaces = out->widths[i] - (int)words_width (text);
    put_cell (out, column->type, shown, i == last && column->type != CELL_NUMBER ? 0 : spaces);
    output_put (out, i == last ? "\n" : GAP);
  }
}

void
output_put_row (Output *out, const json_t *cells)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func ((GDestroyNotify)g_strfreev);
  guint most = 1;
  for (guint i = 0; i < out->n_columns; i++) {
    const Column *column = &out->columns[i];
    g_autofree char *text = cells != NULL ? cell_text (column, TRUE, json_array_get (cells, i))
                                          : g_strdup (column->name);
    GStrv cell = words_wrap (is_shown (out, i) ? text : "", out->widths[i]);
    most = MAX (most, g_strv_length (cell));
    g_ptr_array_add (lines, cell);
  }
  for (guint number = 0; number < most; number++)
    put_line (out, lines, number, cells == NULL);
}
