#include "web/page/parts.h"

gboolean
parts_missing (Sheet *sheet, const char *what)
{
  sheet->status = 404;
  html_text (sheet->html, HTML_P, what);
  return TRUE;
}

void
parts_line (Sheet *sheet, const char *name, const char *text)
{
  if (text == NULL || *text == '\0')
    return;
  html_text (sheet->html, HTML_DT, name);
  html_text (sheet->html, HTML_DD, text);
}

void
parts_commands (Sheet *sheet, const char *title, const char *const *commands)
{
  if (*commands == NULL)
    return;
  html_open (sheet->html, HTML_SECTION);
  html_set (sheet->html, HTML_AT_ID, "next");
  html_text (sheet->html, HTML_H2, title);
  html_open (sheet->html, HTML_DIV);
  html_set (sheet->html, HTML_AT_CLASS, "commands");
  for (; *commands != NULL; commands++)
    sheet_command (sheet, *commands);
  html_close (sheet->html);
  html_close (sheet->html);
}

void
parts_folded (Sheet *sheet, ViewId id, const PgRows *rows, const char *fold, const char *none)
{
  const Column *columns = view_columns (id);
  html_open (sheet->html, HTML_DETAILS);
  html_set (sheet->html, HTML_AT_ID, fold);
  html_text (sheet->html, HTML_SUMMARY, "The same as a table");
  sheet_table (sheet,
               &(SheetTable){ view_name (id), NULL, columns, sheet_cells (columns, rows), none });
  html_close (sheet->html);
}
