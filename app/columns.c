/* Text in columns. */
#include "console.h"

#include <string.h>

enum { COLUMNS = 8 };

/* Characters up to the end of a column: bytes of UTF-8 that go on do not count. */
static int characters(const char *text, size_t length)
{
    int n = 0;
    for (size_t i = 0; i < length; i++)
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

/* Goes through the columns of all lines but the last of each line: their widths are
   measured, and where there is a file, written with them. */
static void go_through(const char *text, int *width, FILE *out)
{
    int column = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, "\t\n");
        int n = characters(text, length);
        bool last = text[length] != '\t';
        if (out != NULL)
            fwrite(text, 1, length, out);
        else if (!last && column < COLUMNS && n > width[column])
            width[column] = n;
        if (out != NULL && last)
            fputs(text[length] == '\n' ? "\n" : "", out);
        else if (out != NULL)
            fprintf(out, "%*s", (column < COLUMNS ? width[column] : n) - n + 4, "");
        column = last ? 0 : column + 1;
        text += length + (text[length] != '\0');
    }
}

void app_columns(FILE *out, const char *text)
{
    int width[COLUMNS] = { 0 };
    go_through(text, width, NULL);
    go_through(text, width, out);
}
