// One program is one build: checked or production. The linker says so when the two are mixed.
//
// The same names mean other types in the other build, so a program of both would be undefined in
// silence. An object of the production build refers, weakly, to a thread-local symbol; the
// checker's library defines it, but not thread-local, and no linker lets that pass: the message has
// the symbol's name and the two files. The reference is a relocation that does nothing: no code, no
// data, and nothing that a production program alone would have to define. ELF only.
#pragma once

#if !defined(HEDDLE_CHECKED) && defined(__ELF__)
asm(".weak heddle_checked_and_production_builds_must_not_be_linked_together\n\t"
    ".type heddle_checked_and_production_builds_must_not_be_linked_together, @tls_object\n\t"
    ".pushsection .heddle_build, \"\", @progbits\n\t"
    ".reloc ., BFD_RELOC_NONE, heddle_checked_and_production_builds_must_not_be_linked_together\n\t"
    ".popsection");
#endif
