"""The estimators that users fit: trees and Rashomon sets."""
