// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress;
import org.ofi4j.cluster.HostRecord.ProcessMembers;
import org.ofi4j.cluster.HostRecord.RankRecord;
import org.ofi4j.cluster.RecordHeader.UnreadableRecordException;

/** Records with optional fields of a later version, and garbage. */
class LaterRecordTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int ROUNDS = 2_000;
  private static final byte[] NONE = {0, 0};

  private static final Member MEMBER =
      new Member(
          "a",
          OptionalInt.of(3),
          OptionalLong.of(7),
          FabricAddress.parse("10.0.0.1:5000"),
          Map.of("zone", "b"),
          9,
          "h");

  /** A part of a record that optional fields may end. */
  enum Part {
    GROUP,
    HOST,
    PROCESS,
    MEMBER,
    RANK,
    RANK_MEMBER
  }

  /** Optional fields of each type that a later version could have. */
  private static List<byte[]> values() {
    return List.of(
        new byte[0],
        new byte[] {1},
        new byte[] {1, 2},
        ByteBuffer.allocate(4).putInt(-1).array(),
        ByteBuffer.allocate(8).putLong(Long.MIN_VALUE).array(),
        "wörter".getBytes(StandardCharsets.UTF_8),
        MEMBER.address().toBytes(),
        GroupRecord.service(AddressFormat.EFA).toBytes(),
        new byte[60_000]);
  }

  private static byte[] fields(List<byte[]> values) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(NONE);
    int number = 0;
    for (byte[] each : values) {
      all.write(number++);
      all.write(each.length >> 8);
      all.write(each.length);
      all.writeBytes(each);
    }
    ByteBuffer bytes = ByteBuffer.wrap(all.toByteArray());
    return bytes.putShort(0, (short) (bytes.capacity() - 2)).array();
  }

  /** Writes records as a later version does: with a source of optional fields for each part. */
  private interface Fields {
    byte[] of(Part part);
  }

  private interface Body {
    void write(DataOutputStream out) throws IOException;
  }

  private static byte[] sealed(int kind, Body body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.write(new byte[RecordHeader.SIZE]);
      body.write(out);
    } catch (IOException impossible) {
      throw new AssertionError(impossible);
    }
    return RecordHeader.seal(kind, bytes.toByteArray());
  }

  private static byte[] group(GroupRecord group, Fields fields) {
    byte[] now = group.toBytes();
    return sealed(
        RecordHeader.GROUP,
        out -> {
          out.write(now, RecordHeader.SIZE, now.length - RecordHeader.SIZE - NONE.length);
          out.write(fields.of(Part.GROUP));
        });
  }

  private static byte[] host(HostRecord host, Fields fields) {
    return sealed(
        RecordHeader.MEMBERS,
        out -> {
          out.writeByte(host.format().number());
          out.write(new byte[3]);
          out.writeLong(host.session());
          out.writeInt(host.processes().size());
          for (ProcessMembers process : host.processes()) {
            out.writeLong(process.process().getMostSignificantBits());
            out.writeLong(process.process().getLeastSignificantBits());
            out.writeShort(process.members().size());
            for (Member each : process.members()) {
              HostRecord.write(out, each);
              out.write(fields.of(Part.MEMBER));
            }
            out.write(fields.of(Part.PROCESS));
          }
          out.write(fields.of(Part.HOST));
        });
  }

  private static byte[] rank(RankRecord rank, Fields fields) {
    byte[] now = rank.toBytes();
    return sealed(
        RecordHeader.RANK,
        out -> {
          out.write(now, RecordHeader.SIZE, now.length - RecordHeader.SIZE - 2 * NONE.length);
          out.write(fields.of(Part.RANK_MEMBER));
          out.write(fields.of(Part.RANK));
        });
  }

  /** Reads a record of each kind with these optional fields, and compares what is known. */
  private static void assertRead(SplittableRandom random, Fields fields)
      throws UnreadableRecordException {
    GroupRecord group =
        random.nextBoolean()
            ? GroupRecord.service(AddressFormat.SOCKADDR_IN)
            : GroupRecord.job(
                AddressFormat.SOCKADDR_IN, random.nextInt(1, 99), random.nextBoolean());
    assertThat(GroupRecord.of(group(group, fields))).isEqualTo(group);

    List<ProcessMembers> processes = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      List<Member> members = new ArrayList<>();
      for (int j = random.nextInt(4); j > 0; j--) {
        members.add(member(random));
      }
      processes.add(new ProcessMembers(new UUID(random.nextLong(), random.nextLong()), members));
    }
    HostRecord host = new HostRecord(AddressFormat.SOCKADDR_IN, random.nextLong(), processes);
    HostRecord found = HostRecord.of(host(host, fields), "h");
    assertThat(found.members()).isEqualTo(host.members());
    assertThat(found.session()).isEqualTo(host.session());
    assertThat(found.processes())
        .extracting(ProcessMembers::process)
        .isEqualTo(processes.stream().map(ProcessMembers::process).toList());

    RankRecord rank = new RankRecord(new UUID(1, random.nextLong()), member(random));
    assertThat(RankRecord.of(rank(rank, fields), 5)).isEqualTo(rank);
  }

  private static Member member(SplittableRandom random) {
    Map<String, String> attributes = new TreeMap<>();
    for (int i = random.nextInt(Member.MAX_ATTRIBUTES + 1); i > 0; i--) {
      attributes.put("a" + i, "v".repeat(random.nextInt(Member.MAX_ATTRIBUTE_VALUE + 1)));
    }
    return new Member(
        "m" + random.nextInt(),
        random.nextBoolean() ? OptionalInt.of(random.nextInt(100)) : OptionalInt.empty(),
        random.nextBoolean() ? OptionalLong.of(random.nextLong()) : OptionalLong.empty(),
        FabricAddress.parse("10.0.0.1:" + random.nextInt(1, 65_536)),
        attributes,
        random.nextLong(1, Long.MAX_VALUE),
        "h");
  }

  @ParameterizedTest
  @EnumSource
  void unknownFieldsOfEachTypeAreSkipped(Part where) throws UnreadableRecordException {
    for (byte[] value : values()) {
      Fields fields = part -> part == where ? fields(List.of(value)) : NONE;
      assertRead(new SplittableRandom(1), fields);
    }
  }

  @Test
  void noRecordOfALaterVersionIsDropped() throws UnreadableRecordException {
    SplittableRandom random = new SplittableRandom(SEED);
    try {
      for (int i = 0; i < ROUNDS; i++) {
        assertRead(
            random,
            _ -> {
              List<byte[]> values = new ArrayList<>();
              for (int j = random.nextInt(4); j > 0; j--) {
                byte[] value = new byte[random.nextInt(40)];
                random.nextBytes(value);
                values.add(value);
              }
              return fields(values);
            });
      }
    } catch (UnreadableRecordException | AssertionError failure) {
      throw new AssertionError("-Dofi4j.seed=" + SEED, failure);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {RecordHeader.GROUP, RecordHeader.MEMBERS, RecordHeader.RANK})
  void garbageIsRefused(int kind) throws UnreadableRecordException {
    SplittableRandom random = new SplittableRandom(SEED);
    byte[] valid = valid(kind);
    for (int i = 0; i < ROUNDS; i++) {
      byte[] garbage = new byte[random.nextInt(200)];
      random.nextBytes(garbage);
      assertThatThrownBy(() -> read(kind, garbage)).isInstanceOf(UnreadableRecordException.class);
      byte[] damaged = valid.clone();
      damaged[random.nextInt(damaged.length)] ^= (byte) random.nextInt(1, 256);
      assertThatThrownBy(() -> read(kind, damaged)).isInstanceOf(UnreadableRecordException.class);
      // With a right checksum a change may be another valid value; nothing else may be thrown.
      byte[] changed = valid.clone();
      changed[random.nextInt(RecordHeader.SIZE, changed.length)] ^= (byte) random.nextInt(1, 256);
      try {
        read(kind, RecordHeader.seal(kind, changed));
      } catch (UnreadableRecordException refused) {
        assertThat(refused)
            .hasMessageMatching("is damaged: .+ of (the|member|process) .+: (?s:.+)");
      }
    }
    for (int length = RecordHeader.SIZE; length < valid.length; length++) {
      byte[] cut = RecordHeader.seal(kind, Arrays.copyOf(valid, length));
      assertThatThrownBy(() -> read(kind, cut)).isInstanceOf(UnreadableRecordException.class);
    }
    byte[] longer = RecordHeader.seal(kind, Arrays.copyOf(valid, valid.length + 1));
    assertThatThrownBy(() -> read(kind, longer)).hasMessageContaining("end of the ");
  }

  private static byte[] valid(int kind) {
    Fields fields = _ -> fields(List.of(new byte[3], new byte[0]));
    return switch (kind) {
      case RecordHeader.GROUP ->
          group(GroupRecord.job(AddressFormat.SOCKADDR_IN, 4, false), fields);
      case RecordHeader.MEMBERS ->
          host(
              new HostRecord(
                  AddressFormat.SOCKADDR_IN,
                  List.of(new ProcessMembers(new UUID(1, 2), List.of(MEMBER)))),
              fields);
      default -> rank(new RankRecord(new UUID(1, 2), MEMBER), fields);
    };
  }

  private static Object read(int kind, byte[] record) throws UnreadableRecordException {
    return switch (kind) {
      case RecordHeader.GROUP -> GroupRecord.of(record);
      case RecordHeader.MEMBERS -> HostRecord.of(record, "h");
      default -> RankRecord.of(record, 1);
    };
  }

  @Test
  void malformedFieldIsNamedWithItsPartAndRule() {
    HostRecord host =
        new HostRecord(
            AddressFormat.SOCKADDR_IN,
            List.of(new ProcessMembers(new UUID(1, 2), List.of(MEMBER, MEMBER))));
    byte[] overlong = {0, 4, 17, 0, 2, 1};
    byte[] short3 = {0, 2, 17, 0};
    assertThatThrownBy(() ->
            read(RecordHeader.MEMBERS, host(host, part -> part == Part.MEMBER ? overlong : NONE)))
        .hasMessage(
            "is damaged: optional field 17 of member 1 of process 1: has a length of 2, but 1"
                + " bytes");
    assertThatThrownBy(() ->
            read(RecordHeader.MEMBERS, host(host, part -> part == Part.PROCESS ? short3 : NONE)))
        .hasMessageContaining("optional fields of process 1: end within");
    byte[] service = GroupRecord.service(AddressFormat.EFA).toBytes();
    service[16] = 3;
    assertThatThrownBy(
            () -> read(RecordHeader.GROUP, RecordHeader.seal(RecordHeader.GROUP, service)))
        .hasMessage("is damaged: kind of the group: 3 is neither 1 for a job nor 2 for a service");
  }

  @Test
  void publisherPassesOnUnknownFields() throws UnreadableRecordException {
    byte[] ofMember = fields(List.of(new byte[] {1, 2, 3}));
    byte[] ofProcess = fields(List.of(new byte[0], new byte[] {4}));
    HostRecord host =
        new HostRecord(
            AddressFormat.SOCKADDR_IN,
            List.of(
                new ProcessMembers(new UUID(1, 2), List.of(MEMBER.withIncarnation(0), MEMBER))));
    byte[] node =
        host(
            host,
            part ->
                switch (part) {
                  case MEMBER -> ofMember;
                  case PROCESS -> ofProcess;
                  default -> NONE;
                });

    ProcessMembers found = HostRecord.of(node, "h").processes().getFirst().resolved(9);
    byte[] published = new HostRecord(AddressFormat.SOCKADDR_IN, List.of(found)).toBytes();

    HostRecord expected =
        new HostRecord(
            AddressFormat.SOCKADDR_IN,
            List.of(new ProcessMembers(new UUID(1, 2), List.of(MEMBER, MEMBER))));
    assertThat(published)
        .isEqualTo(
            host(
                expected,
                part ->
                    switch (part) {
                      case MEMBER -> ofMember;
                      case PROCESS -> ofProcess;
                      default -> NONE;
                    }));
  }
}
