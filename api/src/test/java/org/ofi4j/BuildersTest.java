// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Builders of objects that the library returns. Each value that is set can be read, is part of the
 * text and of the equality, and is copied with the others.
 */
class BuildersTest {
  private static final String NAME = "name";
  private static final FabricObject SOURCE = stub(FabricObject.class);

  /** Returns a builder of each class, with required values only. */
  static Stream<Object> builders() {
    return Stream.of(
        FabricInfo.builder(ApiVersion.V1_5, Profile.RELEASE_1_0),
        FabricInfo.FabricAttributes.builder(),
        FabricInfo.DomainAttributes.builder(),
        FabricInfo.EndpointAttributes.builder(),
        FabricInfo.Transmit.builder(),
        FabricInfo.Receive.builder(),
        EndpointStatistics.builder(),
        EndpointStatistics.Operations.builder(),
        ConnectionStatistics.builder(),
        QueueStatistics.builder(),
        VectorStatistics.builder(),
        MemoryUse.builder(),
        SharedVectorStatus.builder(NAME),
        SharedVectorReport.builder(NAME, SharedVectorReport.State.LEFT),
        Event.Failure.of(SOURCE, Errno.EIO, "why"),
        Completion.Failure.of(Errno.EIO, "why"));
  }

  private static List<Method> setters(Object builder) {
    List<Method> setters =
        Arrays.stream(builder.getClass().getMethods())
            .filter(method -> method.getReturnType() == builder.getClass())
            .toList();
    assertThat(setters).isNotEmpty().allMatch(setter -> setter.getParameterCount() == 1);
    return setters;
  }

  @ParameterizedTest
  @MethodSource("builders")
  void valueThatIsSetIsReadShownComparedAndCopied(Object builder) {
    Object before = call(builder, "build");
    Object last = before;
    for (Method setter : setters(builder)) {
      Object value = value(setter.getParameterTypes()[0]);
      assertThat(call(before, setter.getName())).as(setter.getName()).isNotEqualTo(value);

      assertThat(call(builder, setter, value)).isSameAs(builder);

      Object after = call(builder, "build");
      assertThat(call(after, setter.getName())).as(setter.getName()).isEqualTo(value);
      assertThat(after.toString()).contains(setter.getName() + "=");
      assertThat(after).as(setter.getName()).isNotEqualTo(last);
      assertThat(after).isEqualTo(call(builder, "build"));
      assertThat(after).hasSameHashCodeAs(call(builder, "build"));
      last = after;
    }
    assertThat(builder).hasToString("Builder of " + last);
    for (Method setter : setters(builder)) {
      Object value = value(setter.getParameterTypes()[0]);
      assertThat(call(before, setter.getName())).as("built before").isNotEqualTo(value);
    }
  }

  @ParameterizedTest
  @MethodSource("builders")
  void builderOfCopyHasAllValuesAndChangesOnlyTheCopy(Object builder) {
    setters(builder).forEach(setter -> call(builder, setter, value(setter.getParameterTypes()[0])));
    Object whole = call(builder, "build");
    String text = whole.toString();
    for (Method copier : whole.getClass().getMethods()) {
      if (copier.getName().equals("toBuilder")) {
        Object copy = call(whole, copier);
        assertThat(call(copy, "build")).isEqualTo(whole).hasToString(text);
        setters(copy).stream()
            .filter(setter -> setter.getParameterTypes()[0] == long.class)
            .forEach(setter -> call(copy, setter, 99L));
        assertThat(whole).hasToString(text);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("builders")
  void nullIsRefusedByName(Object builder) {
    for (Method setter : setters(builder)) {
      boolean takesNull =
          setter.getParameterTypes()[0].isPrimitive()
              || setter.getAnnotatedParameterTypes()[0].isAnnotationPresent(Nullable.class);
      if (!takesNull) {
        Throwable refused =
            catchThrowable(() -> setter.invoke(builder, new Object[] {null})).getCause();
        assertThat(refused)
            .isInstanceOf(FabricException.class)
            .hasMessageContaining(setter.getName() + " is null");
      }
    }
  }

  static Object call(Object object, String method) {
    try {
      return call(object, object.getClass().getMethod(method));
    } catch (NoSuchMethodException absent) {
      throw new AssertionError(absent);
    }
  }

  private static Object call(Object object, Method method, Object... arguments) {
    try {
      return method.invoke(object, arguments);
    } catch (IllegalAccessException | InvocationTargetException impossible) {
      throw new AssertionError(method.toString(), impossible);
    }
  }

  /** Returns a value that no field has by default. */
  private static Object value(Class<?> type) {
    if (type.isEnum()) {
      return type.getEnumConstants()[type.getEnumConstants().length - 1];
    }
    Map<Class<?>, Object> values =
        new HashMap<>(
            Stream.of(
                    FabricInfo.FabricAttributes.builder().name(NAME).build(),
                    FabricInfo.DomainAttributes.builder().name(NAME).build(),
                    FabricInfo.EndpointAttributes.builder().protocol(NAME).build(),
                    FabricInfo.Transmit.builder().size(7).build(),
                    FabricInfo.Receive.builder().size(7).build(),
                    EndpointStatistics.Operations.builder().failed(7).build(),
                    ConnectionStatistics.builder().lost(7).build(),
                    MemoryUse.builder().held(7).build(),
                    OptionalLong.of(7),
                    ApiVersion.V1_15,
                    new byte[] {7},
                    "text")
                .collect(Collectors.toMap(Object::getClass, each -> each)));
    values.put(int.class, 7);
    values.put(long.class, 7L);
    values.put(boolean.class, true);
    values.put(Object.class, "context");
    values.put(List.class, List.of("element"));
    values.put(FabricAddress.class, FabricAddress.parse("10.1.2.3:4"));
    return values.computeIfAbsent(type, BuildersTest::stub);
  }

  private static <T> T stub(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "equals" -> type.isInstance(arguments[0]);
                  case "hashCode" -> 1;
                  default -> type.getSimpleName();
                }));
  }
}
