// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.cluster.HostRecord.ProcessMembers;
import org.ofi4j.cluster.RecordHeader.UnreadableRecordException;

/** Records to the byte. */
class RecordTest {
  private static final Member FULL =
      new Member(
          "wörker",
          OptionalInt.of(3),
          OptionalLong.of(-2),
          FabricAddress.parse("127.0.0.1:5000"),
          Map.of("zone", "b", "a", ""),
          0x1_0000_0007L,
          "h");

  private static final Member PLAIN =
      new Member(
          "x",
          OptionalInt.empty(),
          OptionalLong.empty(),
          FabricAddress.parse("10.0.0.1:1"),
          Map.of(),
          0,
          "h");

  private static final HostRecord RECORD =
      new HostRecord(
          AddressFormat.SOCKADDR_IN,
          0x100000000000002L,
          List.of(
              new ProcessMembers(new UUID(0x0102030405060708L, 9), List.of(FULL)),
              new ProcessMembers(new UUID(1, 2), List.of(PLAIN))));

  private static HostRecord read(byte[] bytes) throws UnreadableRecordException {
    return HostRecord.of(bytes, "h");
  }

  @Test
  @DisplayName("The record of a host is as it is drawn")
  void hostRecordToTheByte() {
    byte[] bytes = RECORD.toBytes();
    String hex = HexFormat.of().formatHex(bytes);
    String body =
        "02000000" // FI_SOCKADDR_IN
            + "0100000000000002" // session
            + "00000002" // processes
            + "01020304050607080000000000000009"
            + "0001" // members
            + "0000000100000007" // incarnation
            + "00000003" // rank
            + "01" // has a user id
            + "fffffffffffffffe"
            + "07"
            + HexFormat.of().formatHex("wörker".getBytes(StandardCharsets.UTF_8))
            + "0010"
            + HexFormat.of().formatHex(FULL.address().toBytes())
            + "02"
            + "0161"
            + "0000"
            + "047a6f6e65"
            + "000162"
            + "0000" // optional fields of the member
            + "0000" // of the process
            + "00000000000000010000000000000002"
            + "0001"
            + "0000000000000000"
            + "ffffffff"
            + "00"
            + "0000000000000000"
            + "0178"
            + "0010"
            + HexFormat.of().formatHex(PLAIN.address().toBytes())
            + "00"
            + "0000"
            + "0000"
            + "0000"; // of the host
    assertThat(hex.substring(0, 16)).isEqualTo("6f664a43" + "01" + "02" + "0000");
    assertThat(ByteBuffer.wrap(bytes).getInt(8)).isEqualTo(bytes.length);
    assertThat(hex.substring(32)).isEqualTo(body);
  }

  @Test
  @DisplayName("What is written is read")
  void roundTrip() throws UnreadableRecordException {
    assertThat(read(RECORD.toBytes())).isEqualTo(RECORD);
    HostRecord empty = new HostRecord(AddressFormat.STR, List.of());
    assertThat(read(empty.toBytes())).isEqualTo(empty);
    GroupRecord job = GroupRecord.job(AddressFormat.SOCKADDR, 64, false);
    assertThat(HexFormat.of().formatHex(job.toBytes(), 16, 24)).isEqualTo("01010000" + "00000040");
    assertThat(GroupRecord.of(job.toBytes())).isEqualTo(job);
    GroupRecord service = GroupRecord.service(AddressFormat.EFA);
    assertThat(GroupRecord.of(service.toBytes())).isEqualTo(service);
  }

  @Test
  @DisplayName("Damage to any byte is noticed, and so is each shorter or longer record")
  void damage() {
    byte[] bytes = RECORD.toBytes();
    for (int i = 0; i < bytes.length; i++) {
      byte[] damaged = bytes.clone();
      damaged[i] ^= 0x10;
      assertThatThrownBy(() -> read(damaged))
          .as("byte %d", i)
          .isInstanceOf(UnreadableRecordException.class)
          .hasMessageContaining("damaged");
      byte[] cut = Arrays.copyOf(bytes, i);
      assertThatThrownBy(() -> read(cut)).isInstanceOf(UnreadableRecordException.class);
    }
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    assertThatThrownBy(() -> read(longer)).isInstanceOf(UnreadableRecordException.class);
  }

  @Test
  @DisplayName("Content that makes no sense is kept out though the checksum is right")
  void nonsense() {
    // A name of 255 bytes where there are not as many; a wrong family; a process too many.
    for (int at : new int[] {16, 31, 49, 71, 81}) {
      byte[] wrong = RECORD.toBytes();
      wrong[at] = (byte) 0xFF;
      RecordHeader.seal(RecordHeader.MEMBERS, wrong);
      assertThatThrownBy(() -> read(wrong))
          .as("byte %d", at)
          .isInstanceOf(UnreadableRecordException.class);
    }
    byte[] group = RECORD.toBytes();
    assertThatThrownBy(() -> GroupRecord.of(group)).hasMessageContaining("kind 2");
  }

  @Test
  @DisplayName("A newer version, and a flag, are kept out in words")
  void newer() {
    byte[] bytes = RECORD.toBytes();
    bytes[4] = 2;
    reseal(bytes);
    assertThatThrownBy(() -> read(bytes)).hasMessageContaining("is of version 2");
    byte[] flagged = RECORD.toBytes();
    flagged[7] = 1;
    reseal(flagged);
    assertThatThrownBy(() -> read(flagged)).hasMessageContaining("with flags 1");
  }

  /** Sets the checksum of a record whose header was changed. */
  static void reseal(byte[] bytes) {
    ByteBuffer.wrap(bytes).putInt(12, 0);
    CRC32C sum = new CRC32C();
    sum.update(bytes);
    ByteBuffer.wrap(bytes).putInt(12, (int) sum.getValue());
  }

  @Test
  @DisplayName("An incarnation that is not written down is the change that the record came with")
  void resolved() {
    ProcessMembers both = new ProcessMembers(new UUID(1, 2), List.of(FULL, PLAIN));
    assertThat(both.resolved(77).members())
        .extracting(Member::incarnation)
        .containsExactly(0x1_0000_0007L, 77L);
  }

  @Test
  @DisplayName("Members beyond the limits are refused with the limit")
  void limits() {
    assertThatThrownBy(() -> PLAIN.at(null)).isInstanceOf(FabricException.class);
    String long65 = "a".repeat(65);
    assertThatThrownBy(() -> with(Map.of(long65, "v"))).hasMessageContaining("1 to 64");
    assertThatThrownBy(() -> with(Map.of("a", "ä".repeat(129)))).hasMessageContaining("0 to 256");
    Map<String, String> nine = new HashMap<>();
    for (int i = 0; i < 9; i++) {
      nine.put("a" + i, "");
    }
    assertThatThrownBy(() -> with(nine)).hasMessageContaining("at most 8");
    nine.remove("a0");
    assertThat(with(nine).attributes()).hasSize(8);
    assertThatThrownBy(() -> MemberOptions.none().withAttribute("a1", null))
        .hasMessageStartingWith("EINVAL (22)")
        .hasMessageContaining("value of attribute a1 is null");
  }

  @Test
  void optionsAndMembersHaveTexts() {
    MemberOptions options = MemberOptions.none();
    assertThat(options).hasToString("MemberOptions[]");
    assertThat(options.withAttribute("zone", "b").withUserId(7))
        .hasToString("MemberOptions[userId=7, attributes={zone=b}]");
    assertThat(ClusterOptions.of("h").withTimeout(Duration.ofSeconds(1)))
        .hasToString("ClusterOptions[root=/ofi4j, host=h, timeout=PT1S]");
    assertThat(PLAIN.toString()).startsWith("Member[name=" + PLAIN.name() + ", rank=");
    assertThat(PLAIN.at(PLAIN.address())).isEqualTo(PLAIN).hasSameHashCodeAs(PLAIN);
    assertThat(PLAIN.withIncarnation(PLAIN.incarnation() + 1)).isNotEqualTo(PLAIN);
  }

  private static Member with(Map<String, String> attributes) {
    return new Member(
        "x", OptionalInt.of(0), OptionalLong.empty(), PLAIN.address(), attributes, 0, "h");
  }

  @Test
  @DisplayName("Names that cannot be in a path are refused; paths lead back to names")
  void paths() {
    for (String wrong : List.of("", "a/b", "..", "a b", "a\u0000", "\ud800")) {
      assertThatThrownBy(() -> new GroupPaths("/r", wrong)).isInstanceOf(FabricException.class);
    }
    GroupPaths paths = new GroupPaths("/r", "g");
    UUID process = new UUID(3, 4);
    String path = paths.record("a@b", process);
    assertThat(path).matches("/r/g/records/[0-9a-f]{2}/a@b@" + process);
    assertThat(GroupPaths.recordOf(path)).isEqualTo(new GroupPaths.RecordName("a@b", process));
    assertThat(GroupPaths.recordOf("/r/g/records/7f")).isNull();
    assertThat(GroupPaths.recordOf("/r/g/records/7f/@" + process)).isNull();
    assertThat(GroupPaths.processOf(paths.process("h", process))).isEqualTo(process);
    assertThatThrownBy(() -> ClusterOptions.of("h").withRoot("ofi4j"))
        .hasMessageContaining("begins with /");
  }
}
