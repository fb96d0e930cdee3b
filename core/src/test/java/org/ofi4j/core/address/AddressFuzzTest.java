// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.address;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.FabricException;

/**
 * Text and bytes of any kind: they are taken or refused with a reason, and what is taken means the
 * same everywhere. Every build replays the inputs that are kept in {@code AddressFuzzTestInputs};
 * to look for new ones, ten million executions each,
 *
 * <pre>
 *   JAZZER_FUZZ=1 mvn -pl core -am test -Dsurefire.failIfNoSpecifiedTests=false \
 *       -Dofi4j.test.args=-Djunit.jupiter.execution.timeout.mode=disabled \
 *       -Dtest=AddressFuzzTest#text          (or #packed)
 * </pre>
 *
 * Inputs that lead somewhere new gather in {@code core/.cifuzz-corpus}, an input that fails is
 * written beside the others, so that it is replayed from then on.
 */
class AddressFuzzTest {
  @FuzzTest(maxDuration = "2h", maxExecutions = 10_000_000)
  void text(FuzzedDataProvider data) {
    String text = data.consumeRemainingAsString();
    FabricAddress address = parse(text);
    AddressCodec spelled = AddressCodec.of(AddressFormat.STR);
    if (address == null) {
      return;
    }
    check(address.equals(parse(address.toString())), text, address);
    if (address instanceof TextAddress) {
      return;
    }
    check(FabricAddress.of(address.format(), address.toBytes()).equals(address), text, address);
    AddressKey bySpelling = new AddressKey();
    AddressKey byValue = new AddressKey();
    if (hasPackedForm(text)) {
      TextAddress value = new TextAddress(text);
      int errno = spelled.read(value, bySpelling);
      if (!text.contains("://")) {
        // Text for people, which a vector of FI_ADDR_STR does not take (D-38).
        check(errno == Errno.EINVAL.number() && !spelled.reason(value).isEmpty(), text, address);
        return;
      }
      check(errno == AddressCodec.of(address.format()).read(address, byValue), text, address);
      check(bySpelling.sameAddress(byValue), text, address);
      check(spelled.toValue(bySpelling).equals(value), text, address);
      check(spelled.reason(value).isEmpty() == (errno == 0), text, address);
    }
  }

  private static boolean hasPackedForm(String text) {
    return text.indexOf('\0') < 0
        && StandardCharsets.UTF_8.newEncoder().canEncode(text)
        && text.getBytes(StandardCharsets.UTF_8).length <= AddressKey.MAX_BYTES;
  }

  private static @Nullable FabricAddress parse(String text) {
    try {
      return FabricAddress.parse(text);
    } catch (FabricException e) {
      check(e.errno() == Errno.EINVAL || e.errno() == Errno.ENOSYS, text, e);
      return null;
    }
  }

  @FuzzTest(maxDuration = "2h", maxExecutions = 10_000_000)
  void packed(FuzzedDataProvider data) {
    AddressFormat format = data.pickValue(AddressFormat.values());
    byte[] bytes = data.consumeRemainingAsBytes();
    MemorySegment packed = MemorySegment.ofArray(bytes);
    AddressCodec codec = AddressCodec.of(format);
    AddressKey key = new AddressKey();
    int errno = codec.read(packed, 0, key);
    int size = codec.sizeAt(packed, 0);
    String reason = codec.reason(packed, 0);
    check(reason.isEmpty() == (errno == 0), format, bytes);
    if (errno != 0) {
      check(errno == 22 || errno == 38 || errno == 99, format, bytes);
    }
    if (key.kind() == AddressKey.Kind.EMPTY) {
      check(errno == 22 || errno == 38, format, bytes);
      return;
    }
    check(size <= bytes.length, format, bytes);
    MemorySegment written = MemorySegment.ofArray(new byte[codec.write(key, MemorySegment.NULL)]);
    codec.write(key, written);
    check(size < 0 || written.byteSize() == size, format, bytes);
    AddressKey again = new AddressKey();
    check(codec.read(written, 0, again) == errno && again.sameAddress(key), format, bytes);
    FabricAddress value = codec.toValue(key);
    check(Arrays.equals(value.toBytes(), written.toArray(ValueLayout.JAVA_BYTE)), format, bytes);
    check(codec.read(value, again) == errno && again.sameAddress(key), format, bytes);
    checkRecord(key, codec);
  }

  private static void checkRecord(AddressKey key, AddressCodec codec) {
    MemorySegment record = MemorySegment.ofArray(new byte[key.recordSize()]);
    key.writeRecord(record, 0);
    AddressKey back = new AddressKey();
    check(back.readRecord(record, 0) && key.matchesRecord(record, 0), codec.format(), key);
    check(codec.toValue(back).equals(codec.toValue(key)), codec.format(), key);
  }

  private static void check(boolean holds, Object input, Object outcome) {
    if (!holds) {
      throw new AssertionError(input + " -> " + outcome);
    }
  }
}
