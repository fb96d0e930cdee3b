// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.TransferPeersTest.open;
import static org.ofi4j.core.av.TransferPeersTest.text;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.longs;
import static org.ofi4j.core.av.VectorFixture.packed;
import static org.ofi4j.core.av.VectorFixture.under;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.SharedVectorReport;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestInfo;

/** Vectors of fabrics whose addresses are texts that nobody else understands (D-90). */
class FabricTextsTest {
  private static final VectorOptions TABLE = VectorOptions.table();
  private static final TextAddress LONGEST =
      new TextAddress("fi_shm://" + "x".repeat(AddressKey.MAX_BYTES - 9));

  private static TestInfo info() {
    return TestInfo.defaults().format(AddressFormat.STR).capabilities(Capability.SHARED_AV);
  }

  private static List<FabricAddress> texts() {
    return List.of(
        text(1), new TextAddress("fi_sm2://käse"), new TextAddress("x://"), LONGEST, text(2));
  }

  private static void compare(CoreAddressVector vector, List<FabricAddress> texts) {
    assertThat(vector.size()).isEqualTo(texts.size());
    MemorySegment target = MemorySegment.ofArray(new byte[AddressKey.MAX_BYTES + 1]);
    for (int i = 0; i < texts.size(); i++) {
      FabricAddress text = texts.get(i);
      byte[] bytes = text.toBytes();
      assertThat(vector.lookup(i)).isEqualTo(text);
      assertThat(vector.lookup(i, target)).isEqualTo(bytes.length);
      assertThat(target.asSlice(0, bytes.length).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes);
      assertThat(vector.find(text)).isEqualTo(i);
      assertThat(vector.find(packed(text))).isEqualTo(i);
    }
    List<FabricAddress> walked = new ArrayList<>();
    vector.forEach((handle, address) -> walked.add(FabricAddress.of(AddressFormat.STR, address)));
    assertThat(walked).isEqualTo(texts);
  }

  @Test
  @Tag("AV-078")
  void valuesAndPackedTexts() {
    List<FabricAddress> texts = texts();
    MemorySegment all = packed(texts.toArray(FabricAddress[]::new));
    try (CoreAddressVector values = open(info(), TABLE);
        CoreAddressVector packed = open(info(), TABLE)) {
      assertThat(values.insert(texts, InsertOptions.none()).inserted()).isEqualTo(5);
      assertThat(packed.insert(all, 5, null, null, 0, null)).isEqualTo(5);
      compare(values, texts);
      compare(packed, texts);
      assertThat(packed.refusal(packed(text(7)))).isNull();
      assertThat(packed.refusal(packed(new TextAddress("no format")))).contains("has no format");
    }
  }

  @Test
  @Tag("AV-112")
  @DisplayName("A whole address as node, a plain node and service, and a symmetric range")
  void nodesAndServices() {
    try (CoreAddressVector vector = open(info(), TABLE)) {
      assertThat(vector.insertService("fi_shm://1234:1:0", null)).isZero();
      assertThat(vector.insertService("10.1.1.1", "5000")).isEqualTo(1);
      assertThat(vector.insertSymmetric("10.1.1.2", 2, "5000", 1, InsertOptions.none()).inserted())
          .isEqualTo(2);
      assertThat(vector.lookup(0)).isEqualTo(text(1));
      assertThat(vector.lookup(3)).isEqualTo(new TextAddress(a(3).toString()));
    }
  }

  @Test
  @Tag("AV-148")
  void textOfText() {
    try (CoreAddressVector vector = open(info(), TABLE)) {
      assertThat(vector.toText(packed(text(1)))).isEqualTo("fi_shm://1234:1:0");
      MemorySegment buffer = MemorySegment.ofArray(new byte[10]);
      assertThat(vector.toText(packed(text(1)), buffer).length()).isEqualTo(18);
      assertThat(buffer.getString(0)).isEqualTo("fi_shm://");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SHARE", "REJECT", "NEW_INDEX"})
  @Tag("AV-178")
  @DisplayName("D-90 D-25: texts are equal byte for byte, or by what both spell")
  void duplicates(DuplicatePolicy policy) {
    List<FabricAddress> pairs =
        List.of(
            text(1),
            new TextAddress("FI_SHM://1234:1:0"),
            new TextAddress("fi_sockaddr_in://10.1.1.1:5000"),
            text(1),
            new TextAddress("FI_SOCKADDR_IN://10.1.1.1:5000"));
    try (CoreAddressVector vector = open(info(), TABLE.withDuplicates(policy))) {
      Insertion insertion = vector.insert(pairs, InsertOptions.none());
      assertThat(insertion.handles())
          .isEqualTo(
              switch (policy) {
                case SHARE -> new long[] {0, 1, 2, 0, 2};
                case REJECT -> new long[] {0, 1, 2, NA, NA};
                default -> new long[] {0, 1, 2, 3, 4};
              });
      if (policy == DuplicatePolicy.REJECT) {
        assertThat(vector.refusal(packed(text(1)))).contains("already");
        fails(Errno.EALREADY, () -> vector.replace(1, text(1)));
      }
      vector.remove(longs(0), 1, 0);
      assertThat(vector.find(text(1)))
          .isEqualTo(
              switch (policy) {
                case SHARE -> 0;
                case REJECT -> NA;
                default -> 3;
              });
      vector.replace(1, new TextAddress("fi_sm2://1"));
      assertThat(vector.lookup(1)).isEqualTo(new TextAddress("fi_sm2://1"));
      assertThat(vector.find(new TextAddress("FI_SHM://1234:1:0"))).isEqualTo(NA);
    }
  }

  @Test
  void textsUnderKeys() {
    try (CoreAddressVector vector = open(info().keysInVector(3), TABLE)) {
      long one = vector.insertAuthKey(new byte[AddressVector.AUTH_KEY_SIZE]);
      byte[] bytes = new byte[AddressVector.AUTH_KEY_SIZE];
      Arrays.fill(bytes, (byte) 1);
      long other = vector.insertAuthKey(bytes);
      assertThat(under(vector, text(1), one)).isZero();
      assertThat(under(vector, LONGEST, one)).isEqualTo(1);
      assertThat(under(vector, text(1), other)).isEqualTo(2);
      assertThat(vector.find(text(1), other)).isEqualTo(2);
      assertThat(vector.find(LONGEST, one)).isEqualTo(1);
      assertThat(vector.find(text(1))).isEqualTo(NA);
      assertThat(vector.lookup(1)).isEqualTo(LONGEST);
      assertThat(vector.lookup(2)).isEqualTo(text(1));
    }
  }

  @Test
  @DisplayName("D-90: a fabric without texts of its own refuses them as ever")
  void otherFabrics() {
    try (CoreAddressVector vector = VectorFixture.open(info(), TABLE)) {
      fails(Errno.EINVAL, "another fabric", () -> vector.insert(text(1)));
      fails(Errno.EINVAL, "another fabric", () -> vector.insertService("fi_shm://1234:1:0", null));
      assertThat(vector.find(text(1))).isEqualTo(NA);
      assertThat(vector.peers().findPackedSource(packed(text(1)), new MessageSource())).isFalse();
    }
  }

  @Test
  @Tag("AV-041")
  void namedVectors() {
    VectorOptions named = TABLE.withName("texts " + UUID.randomUUID());
    List<FabricAddress> texts = texts();
    try (CoreAddressVector first = open(info(), named);
        CoreAddressVector second = open(info(), named)) {
      first.insert(texts.subList(0, 3), InsertOptions.none());
      second.insert(texts.subList(1, 5), InsertOptions.none());
      compare(first, texts);
      compare(second, texts);
      MessageSource source = new MessageSource();
      assertThat(first.peers().findPackedSource(packed(LONGEST), source)).isTrue();
      assertThat(source.reported()).isEqualTo(3);
      second.replace(3, text(9));
      assertThat(first.lookup(3)).isEqualTo(text(9));
      first.remove(0);
      fails(Errno.EINVAL, () -> second.lookup(0));
      second.remove(1);
      assertThat(second.insert(LONGEST)).as("the lowest unused").isZero();
      SharedVectorReport report =
          new CoreSharedVectors(info().build()).verify(named.name(), TestDomain.PATIENCE);
      assertThat(report.violations()).isEmpty();
      assertThat(report.entries()).isEqualTo(5);
      try (CoreAddressVector reader = open(info(), named.withFlags(VectorFlag.READ))) {
        assertThat(reader.find(LONGEST)).isZero();
      }
    }
  }

  @Test
  @Tag("AV-049")
  void savedVectors(@TempDir Path directory) {
    Path path = directory.resolve("texts.av");
    List<FabricAddress> texts = texts();
    try (CoreAddressVector vector = open(info(), TABLE)) {
      vector.insert(texts, InsertOptions.none());
      vector.save(path);
    }
    VectorOptions saved = TABLE.withSaved(path);
    try (CoreAddressVector copy = open(info(), saved);
        CoreAddressVector reader = open(info(), saved.withFlags(VectorFlag.READ))) {
      compare(copy, texts);
      compare(reader, texts);
      copy.remove(3);
      assertThat(copy.insert(text(3))).isEqualTo(3);
    }
    // Elsewhere they are texts without meaning, which can be looked at and removed.
    try (CoreAddressVector elsewhere = VectorFixture.open(info(), saved)) {
      assertThat(elsewhere.lookup(0)).isEqualTo(text(1));
      assertThat(elsewhere.find(text(1))).isEqualTo(NA);
      assertThat(elsewhere.peers().socketAddress(0, MemorySegment.ofArray(new byte[28]))).isZero();
      elsewhere.remove(0);
      assertThat(elsewhere.size()).isEqualTo(4);
    }
  }
}
