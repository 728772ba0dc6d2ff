/* verdict.h: the word that the launches of one call share, twin of index.h: what is known of its index. Launches that
   come later look at it and do nothing where it says so; in this way the host need not wait in between. */
#define BAD      1 /* a value is out of range: nothing may be written */
#define UNSORTED 2
