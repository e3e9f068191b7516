import type { ComponentChildren } from 'preact';

/** Container that scrolls sideways, also by keyboard, when its content is wider than the screen. */
export const Scroll = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: readers without a mouse scroll it with the arrow keys
  <section class="scroll" aria-label={label} tabIndex={0}>
    {children}
  </section>
);
