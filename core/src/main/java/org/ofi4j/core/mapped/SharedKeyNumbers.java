// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.util.TreeSet;
import java.util.function.ToIntFunction;
import org.ofi4j.FabricException;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.slot.KeySlots;
import org.ofi4j.core.slot.KeyedHash;
import org.ofi4j.core.store.KeyNumbers;

/**
 * Numbers of the keys of a named vector, which are the same in all processes: those of its {@link
 * KeySlots}. What is taken here is held by this process, and let go when the vector is closed, at
 * the latest; of a process that died by whoever writes next.
 */
final class SharedKeyNumbers extends KeyNumbers {
  private final NamedVector vector;
  private final NamedStore store;
  private final byte[] salt;

  /** What this opening holds; for who has the lock. */
  private final TreeSet<Integer> held = new TreeSet<>();

  SharedKeyNumbers(NamedVector vector, NamedStore store) {
    super(store.parts().keys(), VectorTraits.of(vector.traits()).mostKeys(), vector.participant());
    this.vector = vector;
    this.store = store;
    this.salt = vector.keySalt();
  }

  @Override
  public byte[] fingerprint(byte[] key) {
    return KeyedHash.fingerprint(key, salt);
  }

  @Override
  public int allocate(byte[] fingerprint) {
    // What only processes that are gone have is free, and the key may be the next one of another.
    endDead(false);
    int number = super.allocate(fingerprint);
    if (number == NONE) {
      // Somebody attached or left when the dead were looked for.
      endDead(true);
      number = super.allocate(fingerprint);
    }
    return number;
  }

  private void endDead(boolean patiently) {
    store.change((_, _, _) -> {
      store.endDead(patiently);
      return 0;
    });
  }

  @Override
  protected int take(KeySlots slots, byte[] fingerprint) {
    int number = super.take(slots, fingerprint);
    if (number != NONE) {
      vector.countKeyHolds(number, 1);
      held.add(number);
    }
    return number;
  }

  @Override
  public void free(int number) {
    change(slots -> {
      // Another opening of this process may hold it as well.
      if (vector.countKeyHolds(number, -1) == 0) {
        slots.letGo(number, vector.participant());
      }
      held.remove(number);
      return 0;
    });
  }

  @Override
  public boolean isElsewhere(int number) {
    return store.ask((there, any, _, _) -> there.parts().keys().isUsed(any) ? 1 : 0, number) != 0;
  }

  @Override
  protected int change(ToIntFunction<KeySlots> change) {
    return store.change((there, _, _) -> change.applyAsInt(there.parts().keys()));
  }

  /**
   * Lets go of all that this opening holds.
   *
   * @return false if that is left for who writes after this process is gone, as others have the
   *     lock for too long
   */
  boolean close() {
    if (held.isEmpty()) {
      return true;
    }
    try {
      store.begin();
      try {
        for (int number : held.toArray(Integer[]::new)) {
          free(number);
        }
      } finally {
        store.end();
      }
      return true;
    } catch (FabricException late) {
      return false;
    }
  }
}
