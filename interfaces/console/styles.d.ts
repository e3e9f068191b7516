/** Style sheets, which the bundle writes to a file of their own. */
declare module '*.css';
