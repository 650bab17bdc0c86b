// The formatter of messages, for the scripts of the pages. The build makes one file of it, without the parser: messages are
// parsed already.
export { formatToParts } from 'intl-messageformat';
