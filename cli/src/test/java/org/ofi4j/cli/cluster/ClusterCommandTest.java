// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.InputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.cli.Background;
import org.ofi4j.cli.CommandRun;
import org.ofi4j.cli.RunningCommand;
import org.ofi4j.cli.output.JsonReader;
import org.ofi4j.cli.output.JsonReader.Value;
import org.ofi4j.cli.output.Terminal;

/** Each command of {@code ofi4j cluster}, with a server in this JVM. */
class ClusterCommandTest {
  private static EmbeddedServer server;

  private final ArrayDeque<RunningCommand> running = new ArrayDeque<>();

  @BeforeAll
  static void start() throws Exception {
    server = EmbeddedServer.start(0, null);
  }

  @AfterAll
  static void stop() {
    Path data = server.data();
    server.close();
    assertThat(data).doesNotExist();
  }

  @AfterEach
  void interrupt() throws Exception {
    while (!running.isEmpty()) {
      running.pop().interrupt();
    }
  }

  private RunningCommand begin(String line) {
    RunningCommand command = RunningCommand.start(words(line));
    running.push(command);
    return command;
  }

  private static String[] words(String line) {
    return ("cluster " + line + " --servers " + server.address()).split(" ");
  }

  private static CommandRun run(String line) {
    return CommandRun.of(words(line));
  }

  @Test
  void serverKeepsNothingButItsDataInAGivenDirectory(@TempDir Path directory) throws Exception {
    EmbeddedServer.start(0, directory).close();
    assertThat(directory).isDirectoryNotContaining(each -> !each.endsWith("data"));
  }

  @Test
  void membersOfAServiceAreListed() throws Exception {
    begin("join listed --member a --attribute zone=b --user-id 7 --source 127.0.0.1")
        .await("joined");
    CommandRun groups = run("list");
    assertThat(groups.code()).as(groups.err()).isZero();
    assertThat(groups.out()).containsPattern("listed +service +FI_SOCKADDR_IN\n");
    assertThat(run("list listed").out())
        .startsWith("listed, service with 1 member\n")
        .contains("  a  ", "fi_sockaddr_in://127.0.0.1:", "user id 7", "zone=b");
    Value member = run("list listed --json").json().get("members").list().getFirst();
    assertThat(member.get("name").text()).isEqualTo("a");
    assertThat(member.get("userId").text()).isEqualTo("7");
    assertThat(member.get("attributes").get("zone").text()).isEqualTo("b");
    Value group =
        run("list --json").json().get("groups").list().stream()
            .filter(each -> each.get("group").text().equals("listed"))
            .findFirst()
            .orElseThrow();
    assertThat(group.get("kind").text()).isEqualTo("service");
  }

  @Test
  void joinPublishesTheAddressAndTheHostThatItIsGiven() throws Exception {
    begin("join mapped --host outer --source 127.0.0.1:0 --publish 127.0.0.2:17000")
        .await("fi_sockaddr_in://127.0.0.2:17000");
    Value mapped = run("list mapped --json").json().get("members").list().getFirst();
    assertThat(mapped.get("address").text()).isEqualTo("fi_sockaddr_in://127.0.0.2:17000");
    assertThat(mapped.get("host").text()).isEqualTo("outer");
    assertThat(mapped.get("name").text()).startsWith("outer-");
    int port = Background.freePort();
    begin("join samePort --source 127.0.0.1:" + port + " --publish 127.0.0.2")
        .await("fi_sockaddr_in://127.0.0.2:" + port);
    begin("join sameJob --rank 0 --size 1 --source 127.0.0.1 --publish 127.0.0.2:17001")
        .await("fi_sockaddr_in://127.0.0.2:17001");
  }

  @Test
  void whoComesAndGoesIsALine() throws Exception {
    RunningCommand first = begin("join watched --member a --source 127.0.0.1");
    first.await("joined");
    RunningCommand watch = begin("watch watched");
    watch.await("joined   a ");
    RunningCommand json = begin("watch watched --json");
    json.await("\"name\":\"a\"");
    RunningCommand second = begin("join watched --member b --source 127.0.0.1");
    watch.await("joined   b ");
    first.await("joined   handle 1  b ");
    second.interrupt();
    assertThat(second.run().code()).isNotEqualTo(70);
    watch.await("left     b ");
    first.await("left     handle 1  b ");
    json.await("\"event\":\"left\"");
    assertThat(json.out().lines().map(line -> JsonReader.read(line).get("event").text()))
        .containsExactly("joined", "joined", "left");
    assertThat(json.out().lines().map(line -> JsonReader.read(line).get("time").text()))
        .allSatisfy(time -> assertThat(Instant.parse(time)).isAfter(Instant.EPOCH));
  }

  @Test
  void onATerminalItIsATable() throws Exception {
    begin("join table --member a --source 127.0.0.1").await("joined");
    StringWriter out = new StringWriter();
    Terminal terminal =
        Terminal.interactive(
            InputStream.nullInputStream(), out, new StringWriter(), Map.of("NO_COLOR", "1"));
    RunningCommand watch = RunningCommand.start(terminal, out, words("watch table"));
    running.push(watch);
    watch.await("table, service with 1 member\n  a  ");
    RunningCommand second = begin("join table --member b --source 127.0.0.1");
    // Up over title, member and the line of the last change, and drawn anew.
    watch.await("\033[3A\033[Jtable, service with 2 members\n  a  ");
    second.interrupt();
    watch.await("\033[4A\033[Jtable, service with 1 member\n");
    assertThat(out.toString()).contains("left  b ");
  }

  /** Longer lines would be two, which the table does not count when it goes up over them. */
  @Test
  void aTableIsAsNarrowAsItsTerminal() throws Exception {
    begin("join narrow --member a --source 127.0.0.1").await("joined");
    StringWriter out = new StringWriter();
    Terminal terminal =
        Terminal.interactive(
            InputStream.nullInputStream(), out, new StringWriter(), Map.of("COLUMNS", "16"));
    RunningCommand watch = RunningCommand.start(terminal, out, words("watch narrow"));
    running.push(watch);
    watch.await(terminal.bold("narrow, service") + "\n  a            \n");
  }

  @Test
  void aJobBeginsWhenAllAreThere() throws Exception {
    RunningCommand zero = begin("join run-1 --rank 0 --size 2 --source 127.0.0.1 --json");
    RunningCommand one = begin("join run-1 --rank 1 --size 2 --source 127.0.0.1");
    one.await("joined   handle 1  1 ");
    zero.await("\"rank\":1");
    assertThat(zero.out().lines().map(line -> JsonReader.read(line).get("handle").text()))
        .containsExactly("0", "1");
    CommandRun taken = run("join run-1 --rank 1 --size 2 --timeout 10 --source 127.0.0.1");
    assertThat(taken.code()).isEqualTo(1);
    assertThat(taken.err()).contains("EALREADY (114)", "rank 1 is taken", "on host");
    CommandRun other = run("join run-1 --rank 0 --size 3 --source 127.0.0.1");
    assertThat(other.err()).contains("is a job of 2");
  }

  @Test
  void watchWaitsForAGroupThatIsNotThereYet() throws Exception {
    RunningCommand watch = begin("watch later");
    watch.awaitError("waiting for group later");
    begin("join later --member a --source 127.0.0.1").await("joined");
    watch.await("joined   a");
  }

  @Test
  void endRemovesAJobThatIsOverAndRefusesOneThatIsNot() throws Exception {
    RunningCommand member = begin("join over --rank 0 --size 1 --source 127.0.0.1");
    member.await("joined");
    CommandRun refused = run("end over");
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err()).contains("EBUSY (16)", "/ofi4j/over is in use", "/hosts/");
    member.interrupt();
    CommandRun ended = run("end over --json");
    assertThat(ended.code()).as(ended.err()).isZero();
    assertThat(ended.json().get("ended").text()).isEqualTo("over");
    assertThat(run("list").out()).doesNotContain("over ");
    begin("join over --rank 1 --size 2 --source 127.0.0.1");
    begin("join over --rank 0 --size 2 --expire --source 127.0.0.1").await("handle 1  1 ");
  }

  @Test
  void membersWithoutANameNeverShareOne() throws Exception {
    // In one JVM, as in two containers, they have the same host and process number.
    begin("join nameless --source 127.0.0.1").await("joined");
    begin("join nameless --source 127.0.0.1").await("joined");
    // A member has joined when its host has written it, which the command may read a little later.
    await()
        .forever()
        .untilAsserted(() ->
            assertThat(run("list nameless").out())
                .startsWith("nameless, service with 2 members\n"));
  }

  @Test
  void missingRanksAreNamed() {
    CommandRun run = run("join run-2 --rank 0 --size 4 --timeout 10 --source 127.0.0.1 --json");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("ETIMEDOUT (110)", "missing ranks: 1, 2, 3");
    assertThat(run.json().get("error").text()).contains("missing ranks: 1, 2, 3");
  }

  @ParameterizedTest
  @CsvSource({
    "end nowhere, 1, there is no group /ofi4j/nowhere",
    "end a/b, 2, cannot be part of a path",
    "join x --expire, 2, --expire goes with --rank and --size",
    "list nowhere, 1, there is no group /ofi4j/nowhere",
    "list --root /elsewhere/below, 0, ''",
    "list a/b, 2, cannot be part of a path",
    "list --root nothing, 2, '--root \"nothing\": give a path'",
    "join x --rank 0, 2, --rank and --size go together",
    "join x --rank 0 --size 2 --member a, 2, --member goes with a service only",
    "join x --rank 5 --size 2, 2, 'rank 5: this job has ranks 0 to 1'",
    "join x --timeout 0, 2, --timeout takes a whole number of seconds",
    "join x --session 100000, 2, --session takes a whole number of seconds",
    "join x --attribute zone, 2, zone",
    "join x -p nobody, 61, nobody",
    "join x --host a/b, 2, host",
    "join x --source 127.0.0.1 --publish 10.0.0.1:70000, 2, 'the port is from 1 to 65535'",
    "join x --source 127.0.0.1 --publish ::1, 2, '\"::1\" has no address like that of the"
        + " endpoint'",
    "join x --source 127.0.0.1 --publish [::1]:7000, 2, '\"::1\" has no address like that'",
    "join x --source 127.0.0.1 --publish 0.0.0.0:7000, 2, '\"0.0.0.0\" has no address like that'",
  })
  void mistakesAreToldInWords(String line, int code, String words) {
    CommandRun run = run(line);
    assertThat(run.err()).contains(words).doesNotContain("Exception");
    assertThat(run.code()).as(run.err()).isEqualTo(code);
  }

  @Test
  void whereNobodyIsThatIsSaidSoon() throws Exception {
    String nobody = "127.0.0.1:" + Background.freePort();
    CommandRun run = CommandRun.of("cluster", "list", "--servers", nobody, "--json");
    assertThat(run.code()).isEqualTo(69);
    assertThat(run.json().get("error").text())
        .contains("no server of ZooKeeper answers at " + nobody, "ofi4j cluster serve");
  }

  @Test
  void aServerEndsWithItsInputAndKeepsItsData(@TempDir Path data) throws Exception {
    CommandRun run =
        CommandRun.withInput(
            "", "cluster", "serve", "--port", "0", "--with-input", "--data", data.toString());
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out()).matches("127[.]0[.]0[.]1:[0-9]+\n");
    try (var files = Files.list(data)) {
      assertThat(files).isNotEmpty();
    }
    CommandRun json =
        CommandRun.withInput("", "cluster", "serve", "--port", "0", "--with-input", "--json");
    assertThat(Path.of(json.json().get("data").text())).doesNotExist();
  }

  @Test
  void aPortThatIsTakenIsNamed() {
    String port = server.address().substring(server.address().indexOf(':') + 1);
    CommandRun run = CommandRun.of("cluster", "serve", "--port", port);
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("127.0.0.1:" + port, "give another --port");
    assertThat(CommandRun.of("cluster", "serve", "--port", "-1").code()).isEqualTo(2);
  }

  @Test
  void aFileInPlaceOfADirectoryIsSaid(@TempDir Path directory) throws Exception {
    String file = Files.createFile(directory.resolve("file")).toString();
    CommandRun run = CommandRun.of("cluster", "serve", "--port", "0", "--data", file);
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains(file + ": there is something else of this name already");
  }

  @Test
  void aCommandThatIsNoneIsSaid() {
    CommandRun run = CommandRun.of("cluster", "lits");
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("there is no command \"lits\". Did you mean list?");
  }

  /** As small as it can be, and with every row. */
  @Test
  void theBenchmarkHasItsRows() {
    CommandRun run =
        CommandRun.of(
            "cluster",
            "bench",
            "--sizes",
            "1k",
            "--changes",
            "3",
            "--job",
            "4",
            "--processes",
            "2",
            "--json");
    assertThat(run.code()).as(run.err()).isZero();
    List<String> rows =
        run.json().get("rows").list().stream().map(row -> row.get("id").text()).toList();
    assertThat(rows)
        .contains("cluster-newcomer", "cluster-joins", "cluster-leaves", "cluster-reads")
        .contains("cluster-bytes", "cluster-processes", "cluster-job");
    await().forever().until(() -> ProcessHandle.current().children().findAny().isEmpty());
  }
}
