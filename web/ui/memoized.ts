// A component that is rendered again only if one of its properties is another one than before.

import { type Attributes, type Component, type ComponentChildren, createElement, type FunctionComponent } from 'preact';

export function memoized<Props extends object>(
  component: (props: Props) => ComponentChildren,
): FunctionComponent<Props> {
  function shouldUpdate(this: Component<Props>, next: Props): boolean {
    const names = new Set([...Object.keys(this.props), ...Object.keys(next)]) as Set<keyof Props>;
    return [...names].some((name) => (this.props as Props)[name] !== next[name]);
  }
  function Memoized(this: Component<Props>, props: Props) {
    this.shouldComponentUpdate = shouldUpdate;
    return createElement(component as FunctionComponent<Attributes & Props>, props as Attributes & Props);
  }
  return Memoized as unknown as FunctionComponent<Props>;
}
