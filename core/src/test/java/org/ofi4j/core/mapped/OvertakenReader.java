// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.store.StoreOptions;

/**
 * A reader that has just found out which store to ask when somebody repairs, so that another one
 * has the entries. Run by {@link SteppingLoader}.
 *
 * <p>Property: {@code halt.directory}.
 */
public final class OvertakenReader implements Runnable {
  /** Behind these it is overtaken. */
  static final Set<String> STEPS =
      Set.of("org/ofi4j/core/mapped/CurrentFile.seen", "org/ofi4j/core/mapped/CurrentFile.current");

  private static final StoreOptions OPTIONS = Change.INSERT_IPV4.options();
  private static final long ADDRESS = 0x0A00_0001_0005L;

  /** Asks a store about its entry. */
  private record Question(String what, Asking asking) {}

  /** How it is asked. */
  private interface Asking {
    Object of(NamedStore store);
  }

  private final AddressKey key = new AddressKey();

  /** For the loader. */
  public OvertakenReader() {}

  @Override
  public void run() {
    key.setIpv4(ADDRESS);
    Path directory = Path.of(System.getProperty("halt.directory"));
    NamedVector vector = NamedStores.vector(directory, OPTIONS, false);
    try (NamedStore writer = new NamedStore(vector, OPTIONS);
        NamedStore reader = new NamedStore(NamedStores.vector(directory, OPTIONS, true), OPTIONS)) {
      writer.begin();
      assertThat(writer.insert(key)).isZero();
      writer.end();
      Steps.instead(() -> {
        vector.begin();
        vector.fail();
        writer.begin();
        writer.end();
      });
      for (Question question : questions()) {
        Object wanted = question.asking.of(reader);
        Steps.begin(1);
        assertThat(question.asking.of(reader)).as(question.what).isEqualTo(wanted);
        assertThat(Steps.end()).as("steps of " + question.what).isOne();
      }
    }
  }

  private List<Question> questions() {
    return List.of(
        new Question("find", store -> store.find(key)),
        new Question("findIpv4", store -> store.findIpv4(ADDRESS)),
        new Question("findIpv4Full", store -> store.findIpv4Full(ADDRESS)),
        new Question("holds", store -> store.holds(0, key)),
        new Question("load", store -> store.load(0, new AddressKey())),
        new Question("ipv4", store -> store.ipv4(0)),
        new Question("isLive", store -> store.isLive(0)),
        new Question("generation", store -> store.generation(0)),
        new Question("count", store -> store.count(0)),
        new Question("isFirewalled", store -> store.isFirewalled(0)),
        new Question("size", NamedStore::size),
        new Question("highWaterMark", NamedStore::highWaterMark));
  }
}
