package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;

/**
 * Receives that wait for a message, in the order of posting; tagged ones apart from others. For one
 * thread at a time.
 */
final class PostedReceives {
  private final Operations<Receive> untagged = new Operations<>();
  private final Operations<Receive> tagged = new Operations<>();

  int size() {
    return untagged.size() + tagged.size();
  }

  void add(Receive receive) {
    list(receive.tagged).add(receive);
  }

  /** Puts one back in front of all others: its message broke off. */
  void putBack(Receive receive) {
    list(receive.tagged).addFirst(receive);
  }

  /** Takes the first one that takes a message; null if there is none. */
  @Nullable Receive match(MatchKey message) {
    Operations<Receive> list = list(message.tagged);
    Receive before = null;
    for (Receive each = list.first(); each != null; each = list.after(each)) {
      if (each.takes(message)) {
        list.removeAfter(before, each);
        return each;
      }
      before = each;
    }
    return null;
  }

  /** Takes the first one with a context; null if there is none. */
  @Nullable Receive withdraw(@Nullable Object context) {
    Receive found = withdraw(untagged, context);
    return found == null ? withdraw(tagged, context) : found;
  }

  @SuppressWarnings("ReferenceEquality") // contexts are told apart by identity, as in C
  private static @Nullable Receive withdraw(Operations<Receive> list, @Nullable Object context) {
    Receive before = null;
    for (Receive each = list.first(); each != null; each = list.after(each)) {
      if (each.context == context) {
        list.removeAfter(before, each);
        return each;
      }
      before = each;
    }
    return null;
  }

  private Operations<Receive> list(boolean withTag) {
    return withTag ? tagged : untagged;
  }
}
