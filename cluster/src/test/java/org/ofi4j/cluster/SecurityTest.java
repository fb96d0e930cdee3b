// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.DefaultACLProvider;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.AddressVector;
import org.ofi4j.FabricException;

/**
 * Servers that ask who somebody is, or that speak TLS alone; and what docs/cluster.md says of it.
 */
class SecurityTest {
  private static final String PASSWORD = "secret";

  @TempDir Path directory;

  /** Publishes a member and has it in a vector. */
  private static String joinAndFill(CuratorFramework client) throws Exception {
    client.start();
    try (TestNetwork network = new TestNetwork();
        Cluster cluster =
            Cluster.of(client, ClusterOptions.of("host").withTimeout(Duration.ofSeconds(20)))) {
      Service service = cluster.service("service");
      AddressVector vector = network.vector();
      Events events = new Events();
      service.fill(vector, Duration.ZERO, events);
      service.join("a", TestNetwork.address(5001), MemberOptions.none());
      MemberEvent.Joined joined = events.next(MemberEvent.Joined.class);
      List<ACL> rights = client.getACL().forPath("/ofi4j/service");
      return joined.member().name() + " at " + vector.lookup(joined.handle()) + ", " + rights;
    }
  }

  /** A process whose client is who its JVM's configuration says. */
  static final class Child {
    /** {@code ZooDefs.Ids.CREATOR_ALL_ACL}. */
    private static final List<ACL> CREATOR =
        Collections.singletonList(new ACL(ZooDefs.Perms.ALL, new Id("auth", "")));

    private Child() {}

    public static void main(String[] arguments) throws Exception {
      DefaultACLProvider onlyMe =
          new DefaultACLProvider() {
            @Override
            public List<ACL> getDefaultAcl() {
              return CREATOR;
            }

            @Override
            public List<ACL> getAclForPath(String path) {
              return CREATOR;
            }
          };
      try (CuratorFramework client =
          CuratorFrameworkFactory.builder()
              .connectString(arguments[0])
              .retryPolicy(new ExponentialBackoffRetry(100, 3))
              .aclProvider(onlyMe)
              .build()) {
        System.out.println(joinAndFill(client));
      } catch (FabricException refused) {
        System.out.println(refused.getMessage());
      }
      System.exit(0);
    }
  }

  /** The example of the page that begins with some words. */
  private static String example(String begin) throws IOException {
    String page = ProjectFiles.page();
    int from = page.indexOf(begin);
    assertThat(from).as(begin).isNotNegative();
    return page.substring(from, page.indexOf("`", from));
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }

  private String child(Quorum servers, List<String> options) throws Exception {
    try (ChildJvm child =
        ChildJvm.start(
            Child.class.getName(), options, Redirect.INHERIT, List.of(servers.connectString()))) {
      return new String(child.process().getInputStream().readAllBytes(), UTF_8);
    }
  }

  @Test
  @Tag("long")
  @DisplayName("SASL: the client is who its JAAS configuration says, and others have no right")
  void sasl() throws Exception {
    String client = example("Client {");
    Path mine = write("client", client);
    Path other = write("other", client.replace("\"ofi\"", "\"other\""));
    Path server =
        write(
            "server",
            """
            Server {
              org.apache.zookeeper.server.auth.DigestLoginModule required
              user_ofi="secret" user_other="secret";
            };
            """);
    String login = "-Djava.security.auth.login.config=";
    String allowed = example("-Dzookeeper.fips-mode");
    Map<String, String> properties =
        Map.of(
            "authProvider.1", "org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
            "enforce.auth.enabled", "true",
            "enforce.auth.schemes", "sasl");
    try (Quorum servers = new Quorum(1, properties, List.of(login + server))) {
      servers.start(0);
      servers.awaitServing(0);
      assertThat(child(servers, List.of(allowed, login + mine)))
          .contains("a at fi_sockaddr_in://127.0.0.1:5001")
          .contains("'sasl,'ofi")
          .doesNotContain("world");
      // It has another name, and no right to what the first one has made.
      assertThat(child(servers, List.of(allowed, login + other))).startsWith("EACCES (13)");
      assertThat(child(servers, List.of())).startsWith("EACCES (13)");
    }
  }

  private void keytool(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    command.addAll(List.of("-storepass", PASSWORD, "-alias", "ofi"));
    Process keytool =
        new ProcessBuilder(command).redirectErrorStream(true).directory(directory.toFile()).start();
    String said = new String(keytool.getInputStream().readAllBytes(), UTF_8);
    assertThat(keytool.waitFor()).as(said).isZero();
  }

  @Test
  @Tag("long")
  @DisplayName("TLS: with the keys that the client is given, over servers that speak nothing else")
  void tls() throws Exception {
    keytool(
        "-genkeypair",
        "-keyalg",
        "EC",
        "-dname",
        "CN=ofi",
        "-ext",
        "san=dns:localhost,ip:127.0.0.1",
        "-keystore",
        "keys.p12");
    String keyStore = directory.resolve("keys.p12").toString();
    // Only what was imported is an authority.
    keytool("-exportcert", "-file", "certificate", "-keystore", "keys.p12");
    keytool("-importcert", "-noprompt", "-file", "certificate", "-keystore", "trust.p12");
    String trustStore = directory.resolve("trust.p12").toString();
    String password = PASSWORD;
    Map<String, String> properties =
        Map.of(
            "secureClientPort", "PORT",
            "secureClientPortAddress", "127.0.0.1",
            "serverCnxnFactory", "org.apache.zookeeper.server.NettyServerCnxnFactory",
            "ssl.keyStore.location", keyStore,
            "ssl.keyStore.password", password,
            "ssl.trustStore.location", trustStore,
            "ssl.trustStore.password", password);
    try (Quorum quorum = new Quorum(1, properties, List.of())) {
      quorum.start(0);
      String servers = quorum.connectString();
      // TLS begins here.
      ZKClientConfig tls = new ZKClientConfig();
      tls.setProperty("zookeeper.client.secure", "true");
      tls.setProperty("zookeeper.clientCnxnSocket", "org.apache.zookeeper.ClientCnxnSocketNetty");
      tls.setProperty("zookeeper.ssl.trustStore.location", trustStore);
      tls.setProperty("zookeeper.ssl.trustStore.password", password);
      tls.setProperty("zookeeper.ssl.keyStore.location", keyStore);
      tls.setProperty("zookeeper.ssl.keyStore.password", password);
      CuratorFramework client =
          CuratorFrameworkFactory.builder()
              .connectString(servers)
              .retryPolicy(new ExponentialBackoffRetry(100, 5))
              .zkClientConfig(tls)
              .build();
      // TLS ends here.
      try (client) {
        assertThat(joinAndFill(client)).contains("a at fi_sockaddr_in://127.0.0.1:5001");
      }
      assertThat(quorum.isServing(0)).as("without TLS").isFalse();
    }
  }

  @Test
  @DisplayName("The page has the example as it is")
  void page() throws IOException {
    String source = ProjectFiles.source(SecurityTest.class);
    int from = source.indexOf("      ZKClientConfig tls");
    String shown = source.substring(from, source.indexOf("      // TLS ends"));
    assertThat(example("ZKClientConfig tls")).isEqualTo(shown.stripTrailing().stripIndent() + "\n");
  }
}
