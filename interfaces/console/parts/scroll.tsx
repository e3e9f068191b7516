import type { ComponentChildren } from 'preact';

/** Part that scrolls sideways when it is wider than the screen, also by keyboard. */
export const Scroll = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: readers without a mouse scroll it with the arrow keys
  <section class="scroll" aria-label={label} tabIndex={0}>
    {children}
  </section>
);
