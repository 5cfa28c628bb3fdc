/* Files for the tests of readers: small ones made on the spot, and folders of malformed
 * ones. NAME.expect next to a malformed file NAME holds the message it must give, less
 * the file's name and colon. */
#ifndef ZB_TEST_FILES_H
#define ZB_TEST_FILES_H

#include "test.h"
#include "zbound.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The path of a fresh file whose name ends in ending and holds text; free it with
   drop_file. */
static inline char *make_file(const char *ending, const char *text)
{
    const char *folder = getenv("TMPDIR");
    char *path = malloc(4096);
    assert_non_null(path);
    snprintf(path, 4096, "%s/zbound-test-XXXXXX%s", folder != NULL ? folder : "/tmp",
             ending);
    int fd = mkstemps(path, (int)strlen(ending));
    assert_true(fd >= 0);
    assert_true(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    assert_int_equal(close(fd), 0);
    return path;
}

static inline void drop_file(char *path)
{
    unlink(path);
    free(path);
}

/* All of a small file. */
static inline void read_text(const char *path, char *text, size_t room)
{
    FILE *in = fopen(path, "rb");
    CHECK(in != NULL, "%s", path);
    size_t n = fread(text, 1, room - 1, in);
    text[n] = '\0';
    fclose(in);
}

static inline bool ends_in(const char *name, const char *ending)
{
    size_t n = strlen(name), k = strlen(ending);
    return n >= k && strcmp(name + n - k, ending) == 0;
}

typedef zb_status (*bad_reader)(const char *path, zb_error *err);

/* Each file of the folder gives its message; the number of files. */
static inline int check_bad_folder(const char *folder, bad_reader read_bad)
{
    DIR *dir = opendir(folder);
    int count = 0;
    CHECK(dir != NULL, "%s", folder);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[600], note[700], line[512], expected[1200];
        if (entry->d_name[0] == '.' || ends_in(entry->d_name, ".expect"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        snprintf(note, sizeof note, "%s.expect", path);
        read_text(note, line, sizeof line);
        line[strcspn(line, "\n")] = '\0';
        snprintf(expected, sizeof expected, "%s:%s", path, line);
        zb_error err = { "" };
        zb_status status = read_bad(path, &err);
        bool io = strstr(line, "cannot read") != NULL;
        CHECK(strcmp(err.text, expected) == 0, "is:        %s\nshould be: %s", err.text,
              expected);
        CHECK(status == (io ? ZB_EIO : ZB_EPARSE), "%s: %s", path,
              zb_status_text(status));
        CHECK(read_bad(path, NULL) == status, "%s without a place for the message",
              path);
        count++;
    }
    closedir(dir);
    return count;
}

#endif
