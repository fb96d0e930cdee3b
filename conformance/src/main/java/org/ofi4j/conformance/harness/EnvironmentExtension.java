// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestInstancePostProcessor;

/** Gives each test an environment of its own and closes it afterwards. */
public final class EnvironmentExtension
    implements TestInstancePostProcessor, ParameterResolver, AfterEachCallback {
  /** Where a launcher session keeps its {@link Contender}. */
  public static final Namespace NAMESPACE = Namespace.create(Contender.class.getName());

  @Override
  public void postProcessTestInstance(Object instance, ExtensionContext context) {
    if (instance instanceof AddressTests tests) {
      tests.use(contender(context));
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == ConformanceEnvironment.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getStore(NAMESPACE)
        .computeIfAbsent(
            ConformanceEnvironment.class,
            _ -> new ConformanceEnvironment(contender(context), () -> otherProcess(context)));
  }

  @Override
  public void afterEach(ExtensionContext context) {
    ConformanceEnvironment environment =
        context
            .getStore(NAMESPACE)
            .remove(ConformanceEnvironment.class, ConformanceEnvironment.class);
    if (environment != null) {
      environment.close();
    }
  }

  /** One for all tests of a run that need it, as starting it takes long. */
  private static OtherProcess otherProcess(ExtensionContext context) {
    ExtensionContext.Store store = context.getRoot().getStore(NAMESPACE);
    OtherProcess known = store.get(OtherProcess.class, OtherProcess.class);
    if (known != null && known.isAlive() && known.reset()) {
      return known;
    }
    if (known != null) {
      known.close();
    }
    OtherProcess started = OtherProcess.start(contender(context), OtherProcessMain.class);
    store.put(OtherProcess.class, started);
    return started;
  }

  private static Contender contender(ExtensionContext context) {
    Contender given =
        context
            .getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE)
            .get(Contender.class, Contender.class);
    return given != null
        ? given
        : Contender.installed(
            context.getConfigurationParameter(Contender.PROVIDER_PROPERTY).orElse(null));
  }
}
