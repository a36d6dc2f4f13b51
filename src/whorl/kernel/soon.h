/* Tells the processor what will be read soon, so that it fetches it meanwhile. */
#ifndef WHORL_SOON_H
#define WHORL_SOON_H

#if defined(__GNUC__)
#define whorl_soon(place) __builtin_prefetch(place)
#else
#define whorl_soon(place) (void)(place)
#endif

#endif
