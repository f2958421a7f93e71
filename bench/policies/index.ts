export { benches } from './bench';
