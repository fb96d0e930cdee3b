// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.ofi4j.cluster.RedeployedApplication.Use;

/**
 * Applications that an application server redeploys: nothing of ofi4j keeps a class loader whose
 * application has closed everything, and providers are found whatever the context class loader is.
 * It is here because this module alone sees all the others.
 */
class RedeploymentTest {
  private static final int DEPLOYMENTS = 6;

  /** The application server: deploys each application several times and counts what stays. */
  static final class Server {
    private Server() {}

    public static void main(String[] arguments) throws Exception {
      for (Use use : Use.values()) {
        List<WeakReference<ClassLoader>> deployed = new ArrayList<>();
        boolean hasWorked = true;
        for (int i = 0; i < DEPLOYMENTS && hasWorked; i++) {
          hasWorked = deploy(use, arguments[0], deployed);
        }
        System.out.println(use + (hasWorked ? " stays " + staying(deployed) : " is not here"));
      }
    }

    /** Runs an application with class loaders that find nothing of it as context in turn. */
    private static boolean deploy(
        Use use, String servers, List<WeakReference<ClassLoader>> deployed) throws Exception {
      ClassLoader[] contexts = {null, ClassLoader.getSystemClassLoader(), null};
      try (URLClassLoader loader =
          new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
        contexts[2] = loader;
        Thread thread = Thread.currentThread();
        thread.setContextClassLoader(contexts[deployed.size() % contexts.length]);
        deployed.add(new WeakReference<>(loader));
        return (Boolean)
            ((Callable<?>)
                    loader
                        .loadClass(RedeployedApplication.class.getName())
                        .getConstructor(String.class, String.class)
                        .newInstance(use.name(), servers))
                .call();
      } finally {
        Thread.currentThread().setContextClassLoader(ClassLoader.getSystemClassLoader());
      }
    }

    private static URL[] classPath() throws MalformedURLException {
      List<URL> path = new ArrayList<>();
      for (String each : System.getProperty("java.class.path").split(File.pathSeparator)) {
        path.add(Path.of(each).toUri().toURL());
      }
      return path.toArray(URL[]::new);
    }

    /** How many class loaders are there when collections have stopped finding any. */
    private static long staying(List<WeakReference<ClassLoader>> deployed)
        throws InterruptedException {
      long staying = DEPLOYMENTS;
      for (int i = 0; i < 3_000 && staying > 0; i++) {
        System.gc();
        Thread.sleep(20);
        staying = deployed.stream().filter(each -> each.get() != null).count();
      }
      return staying;
    }
  }

  @Test
  void noClassLoaderStaysAfterEverythingWasClosed() throws Exception {
    List<String> lines = new ArrayList<>();
    try (TestTree zooKeeper = new TestTree();
        // The JDK refers softly to the last record whose toString was called.
        ChildJvm server =
            ChildJvm.start(
                Server.class.getName(),
                List.of(
                    "-XX:SoftRefLRUPolicyMSPerMB=0",
                    "--enable-native-access=ALL-UNNAMED",
                    "-XX:+ErrorFileToStderr"),
                Redirect.INHERIT,
                List.of(zooKeeper.server.getConnectString()));
        BufferedReader output =
            new BufferedReader(new InputStreamReader(server.process().getInputStream(), UTF_8))) {
      output.lines().forEach(lines::add);
    }
    assertThat(lines)
        .isNotEmpty()
        .allSatisfy(line -> assertThat(line).matches("[A-Z_]+ stays 0|NATIVE(_TCP)? is not here"));
    assertThat(lines).hasSize(Use.values().length);
  }
}
